import { type ReactNode, useState } from 'react';
import type { Comparison } from '../../workbench/index.ts';
import { api } from './api.ts';
import { Busy, Choice, count, Problem, percent, useLoaded } from './parts.tsx';

/** Compares the crawl with that of another workspace; nothing if there is only one. */
export function Compare({ name }: { readonly name: string }): ReactNode {
  const [other, setOther] = useState('');
  const known = useLoaded('workspaces', () =>
    api().get<{ readonly workspaces: readonly { readonly name: string }[] }>('/workspaces'),
  );
  const found = useLoaded(`compare ${name} ${other}`, async () =>
    other === '' ? undefined : await api(name).get<Comparison>('/compare', { with: other }),
  );
  const others = (known.value?.workspaces ?? []).filter((one) => one.name !== name);
  if (others.length === 0) return null;
  return (
    <section>
      <h2>Compare crawls</h2>
      <Choice
        label="With"
        value={other}
        onChange={setOther}
        options={[['', 'choose a workspace'], ...others.map((one) => [one.name, one.name] as const)]}
      />
      <Problem text={known.problem ?? found.problem} />
      {found.isBusy && other !== '' ? <Busy what="Comparing" /> : null}
      {found.value === undefined ? null : <Tables {...found.value} />}
    </section>
  );
}

function Tables({ crawls, coverage, overlaps }: Comparison): ReactNode {
  return (
    <>
      <Table
        head={['crawl', 'pages', 'relevant', 'hosts']}
        rows={crawls.map((one) => [one.name, count(one.pages), count(one.relevant), count(one.hosts)])}
      />
      <Table
        head={['crawl', 'finds relevant pages of', 'pages', 'share']}
        rows={coverage.map(({ by, of, found, share }) => [by, of, count(found), percent(share)])}
      />
      <Table
        head={['in common', 'pages', 'hosts', 'best pages', 'hosts of authorities']}
        rows={overlaps.map(({ a, b, urls, hosts, best, authorityHosts }) => [
          `${a}, ${b}`,
          ...[urls, hosts, best, authorityHosts].map(
            ({ common, ofA, ofB }) => `${count(common)} (${percent(ofA)}, ${percent(ofB)})`,
          ),
        ])}
      />
    </>
  );
}

function Table({
  head,
  rows,
}: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): ReactNode {
  return (
    <div className="wide">
      <table>
        <thead>
          <tr>
            {head.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.slice(0, 2).join(' ')}>
              {row.map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
                <td key={i}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
