import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { topicTree } from '../../src/core/index.ts';
import { KEPT_TABLES } from '../../src/store/in-sql/classify-sql.ts';
import { VIEWS } from '../../src/store/index.ts';
import { COLUMNS } from '../../src/store/schema.ts';
import { DATABASES } from '../contracts/store-databases.ts';
import { link, page, round, visit } from '../contracts/store-records.ts';

const DOCUMENT = readFileSync(new URL('../../docs/schema.md', import.meta.url), 'utf8');
const QUERIES = [...DOCUMENT.matchAll(/```sql\n([\s\S]*?)```/g)].map((match) => match[1]!);

describe('docs/schema.md', () => {
  test.each(Object.entries({ ...COLUMNS, ...KEPT_TABLES }))(
    'explains table %s and each of its columns',
    (table, columns) => {
      expect(DOCUMENT).toMatch(new RegExp(`(^### .*\\b${table}\\b)|(^- \`${table}\`)`, 'm'));
      for (const column of columns) expect(DOCUMENT).toContain(`\`${column}\``);
    },
  );

  test.each(VIEWS)('shows how to query the view %s', (view) => {
    expect(QUERIES.some((query) => new RegExp(`from ${view}\\s`).test(query))).toBe(true);
  });

  for (const database of DATABASES) {
    test.skipIf(database.missing !== undefined)(`has examples that run in ${database.name}`, async () => {
      const place = await database.place();
      const store = await place.open();
      await store.saveTopics(topicTree([{ name: 'databases' }, { name: 'mining' }], []));
      store.append(page(1, 'https://a.example/', { links: [link('https://b.example/')] }));
      store.append(page(2, 'https://b.example/', { topic: 'mining', links: [link('https://a.example/')] }));
      store.append(visit(3, 'https://c.example/', { result: 'duplicate', page: 2 }));
      store.append(round(4));
      store.append({ kind: 'phase', sequence: 5, phase: 'learning', reason: '', at: 1 });
      await store.flush();
      expect(QUERIES.length).toBeGreaterThan(12);
      for (const query of QUERIES) {
        const result = await store.sql(query, { maxRows: 10 });
        expect(result.columns.length, query).toBeGreaterThan(0);
        for await (const row of result.rows) expect(row).toHaveLength(result.columns.length);
      }
      await store.close();
      await place.drop();
    });
  }
});
