import { render } from 'ink-testing-library';
import { afterEach, describe, expect, test } from 'vitest';
import { siteMark } from '../../src/core/index.ts';
import { Screen } from '../../src/dashboard/components/Screen.tsx';
import { type DashboardOptions, type OpenDashboard, openDashboard } from '../../src/dashboard/index.ts';
import type { KeyPress } from '../../src/dashboard/key-press.ts';
import { COLOURLESS } from '../../src/dashboard/theme.ts';
import { busyState, emptyState, fold, pageEvent, sampleTree, statusOf } from './support/events.ts';
import { paperTerminal } from './support/paper-terminal.ts';

/** Keys are heard and pictures drawn a few turns of the loop later, some behind timers: each turn is had, however late it comes. */
async function turn(): Promise<void> {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('keys of the terminal', () => {
  test.each<[string, string, readonly KeyPress[]]>([
    ['arrow up', '\u001b[A', [{ name: 'up' }]],
    ['arrow down', '\u001b[B', [{ name: 'down' }]],
    ['page down', '\u001b[6~', [{ name: 'page-down' }]],
    ['home', '\u001b[H', [{ name: 'home' }]],
    ['Enter', '\r', [{ name: 'enter' }]],
    ['Tab', '\t', [{ name: 'tab' }]],
    ['backspace', '\u007f', [{ name: 'backspace' }]],
    ['Ctrl-C', '\u0003', [{ name: 'interrupt' }]],
    ['a letter', 'p', [{ name: 'text', text: 'p' }]],
    [
      'letters that come at once',
      'añ',
      [
        { name: 'text', text: 'a' },
        { name: 'text', text: 'ñ' },
      ],
    ],
    [
      'Enter and Tab among keys that come at once',
      'a\r\t\t',
      [{ name: 'text', text: 'a' }, { name: 'enter' }, { name: 'tab' }, { name: 'tab' }],
    ],
    ['another control character', '\u0001', []],
    ['a click', '\u001b[<0;10;5M', [{ name: 'click', column: 9, row: 4 }]],
    ['the release of a button, and other buttons', '\u001b[<0;10;5m\u001b[<2;10;5M', []],
    ['a notch of the wheel', '\u001b[<65;10;5M', [{ name: 'down' }, { name: 'down' }, { name: 'down' }]],
  ])('%s', async (_, input, expected) => {
    const pressed: KeyPress[] = [];
    const { stdin, unmount } = render(
      <Screen state={busyState()} theme={COLOURLESS} onKey={(key) => pressed.push(key)} />,
    );
    await turn();
    stdin.write(input);
    await turn();
    unmount();
    expect(pressed).toEqual(expected);
  });
});

describe('an open dashboard', () => {
  let dashboard: OpenDashboard;
  afterEach(() => dashboard.close());

  async function open(ports: Partial<DashboardOptions> = {}) {
    const paper = paperTerminal();
    dashboard = await openDashboard({
      title: 'papers',
      ownsCrawl: true,
      timeMs: 0,
      tree: sampleTree(),
      terminal: paper.terminal,
      steer: () => true,
      explain: async () => [],
      linksTo: async () => ({ links: 12, isBound: false }),
      open: async () => '',
      editTopics: async () => '',
      review: async () => '',
      stop: () => {},
      interrupt: () => {},
      ...ports,
    });
    await turn();
    return paper;
  }

  test('does what keys ask for, and says so', async () => {
    const steered: unknown[] = [];
    const { type } = await open({ steer: (command) => steered.push(command) > 0 });
    type('p');
    await turn();
    expect(steered).toEqual([{ kind: 'pause' }]);
    expect(dashboard.state().message).toMatch(/^Paused/);
  });

  test('resumes on the second press, even before a status reports the pause', async () => {
    const steered: unknown[] = [];
    const { type } = await open({ steer: (command) => steered.push(command.kind) > 0 });
    dashboard.dispatch({ kind: 'status', status: statusOf({}) });
    for (const keys of ['p', 'p', 'pp']) {
      type(keys);
      await turn();
    }
    expect(steered).toEqual(['pause', 'resume', 'pause', 'resume']);
  });

  test('says why a command was not obeyed, and what went wrong', async () => {
    const { type } = await open({
      steer: () => false,
      explain: async () => {
        throw new Error('the store is gone');
      },
    });
    type('p');
    await turn();
    expect(dashboard.state().message).toMatch(/^No change/);
    dashboard.dispatch(pageEvent(1));
    type('\r');
    await turn();
    expect(dashboard.state().message).toBe('the store is gone');
  });

  test('takes the terminal back from a review that could not be started, and says why', async () => {
    const { type, isRaw } = await open({
      review: async () => {
        throw new Error('spawn ENOMEM');
      },
    });
    type('v');
    await expect.poll(() => dashboard.state().message).toBe('spawn ENOMEM');
    await expect.poll(isRaw).toBe(true);
    type('?');
    await expect.poll(() => dashboard.state().view.kind).toBe('help');
  });

  test('counts the links to a site before it is marked', async () => {
    const steered: unknown[] = [];
    const { type } = await open({ steer: (command) => steered.push(command) > 0 });
    dashboard.dispatch(pageEvent(1));
    type('s');
    await turn();
    expect(dashboard.state().view).toMatchObject({ kind: 'site', links: { links: 12, isBound: false } });
    type('b');
    await turn();
    const site = dashboard.state().pages[0]?.host ?? '';
    expect(steered).toEqual([{ kind: 'judge-page', judgement: siteMark(site, 'bad-site') }]);
    expect(dashboard.state().message).toBe(`${site} is a bad site: not fetched again; its pages leave their topics.`);
  });

  test('says why links to a site could not be counted, instead of asking', async () => {
    const { type } = await open({
      linksTo: async () => {
        throw new Error('the store is gone');
      },
    });
    dashboard.dispatch(pageEvent(1));
    type('s');
    await expect.poll(() => dashboard.state().message).toBe('the store is gone');
    expect(dashboard.state().view.kind).toBe('overview');
  });

  test.each([true, false])(
    'undoes a mark that the crawl has not reported yet (in its own process: %s)',
    async (ownsCrawl) => {
      const uses: unknown[] = [];
      const { type } = await open({
        ownsCrawl,
        steer: (command) => command.kind === 'judge-page' && uses.push(command.judgement.use) > 0,
      });
      dashboard.dispatch(pageEvent(1));
      for (const key of ['m', 'b', 'm', 'u', 's', 'b', 's', 'u']) {
        type(key);
        await turn();
      }
      expect(uses).toEqual(['others', 'free', 'bad-site', 'free']);
    },
  );

  test('a mark that was refused is sent again on the next key, and refused again', async () => {
    const { type } = await open({ steer: () => false });
    dashboard.dispatch(pageEvent(1));
    for (const key of ['m', 'b', 'm', 'b']) {
      type(key);
      await turn();
    }
    expect(dashboard.state().message).toMatch(/^A topic would be left without an example/);
  });

  test('draws on the other screen, and gives the first one back', async () => {
    const { written } = await open();
    expect(written()).toContain('\u001b[?1049h');
    await dashboard.close();
    expect(written()).toContain('\u001b[?1049l');
    await dashboard.ended;
  });

  test('lets no row run on to the next one while it draws, whatever signs are in it', async () => {
    const { written } = await open();
    expect(written().indexOf('\u001b[?7l')).toBeLessThan(written().indexOf('papers'));
    expect(written()).toContain('\u001b[?7l');
    expect(written()).not.toContain('\u001b[?7h');
    await dashboard.close();
    expect(written().lastIndexOf('\u001b[?7h')).toBeGreaterThan(written().lastIndexOf('papers'));
  });

  test('lends the terminal to one review, though its key came twice at once', async () => {
    const back = Promise.withResolvers<string>();
    let reviews = 0;
    const { type, isRaw } = await open({
      review: () => {
        reviews++;
        return back.promise;
      },
    });
    type('vv');
    await turn();
    expect([reviews, isRaw()]).toEqual([1, false]);
    back.resolve('Back from the review.');
    await turn();
    expect([dashboard.state().message, isRaw()]).toEqual(['Back from the review.', true]);
  });

  test('stops reading events of the crawl after the user leaves', async () => {
    const { type, written } = await open();
    type('q');
    await turn();
    type('d');
    await dashboard.ended;
    const length = written().length;
    dashboard.dispatch(pageEvent(1));
    await turn();
    expect(written().length).toBe(length);
  });

  test('leaves the terminal alone once it was left, though what was asked before is answered then', async () => {
    const links = Promise.withResolvers<{ links: number; isBound: boolean }>();
    const { type, written, isRaw } = await open({ linksTo: () => links.promise });
    dashboard.dispatch(pageEvent(1));
    type('s');
    await turn();
    expect(isRaw()).toBe(true);
    await dashboard.close();
    const length = written().length;
    links.resolve({ links: 12, isBound: false });
    await turn();
    expect(written().length).toBe(length);
    expect(isRaw()).toBe(false);
  });

  test('takes keys in a window that is too small to show anything', async () => {
    const { terminal, type } = await open();
    Object.assign(terminal.stdout, { columns: 20, rows: 5 });
    terminal.stdout.emit('resize');
    type('?');
    await turn();
    type('j');
    await turn();
    expect(dashboard.state().view).toEqual({ kind: 'help', top: 1 });
  });

  test('says that drawing failed instead of taking the crawl with it', async () => {
    const { type } = await open();
    const failed = expect(dashboard.ended).rejects.toThrow();
    // A state that no event can make.
    dashboard.dispatch({ kind: 'status', status: { ...emptyState(), queues: [], hosts: undefined } as never });
    type('j');
    await failed;
    expect(() => dashboard.dispatch(pageEvent(2))).not.toThrow();
  });
});

test('never shows more pages than counted, although pages arrive before their count', () => {
  const pages = Array.from({ length: 15 }, (_, i) => pageEvent(i + 1));
  const state = fold(emptyState(), ...pages, { kind: 'status', status: statusOf({ fetched: 12, relevant: 12 }) });
  const { lastFrame, unmount } = render(<Screen state={state} theme={COLOURLESS} onKey={() => {}} />);
  const frame = lastFrame();
  unmount();
  expect(frame).toContain('last 12: 100 %');
});
