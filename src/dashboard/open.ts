import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SteerCommand } from '../core/index.ts';
import { describeCommand, describeRefusal, describeRequest } from './event-messages.ts';
import type { KeyPress } from './key-press.ts';
import { lendKeys } from './keyboard.ts';
import { type Effect, keyPressed } from './keys.ts';
import { atLeastSmallest, type Size } from './layout.ts';
import { messageOf } from './message-of.ts';
import { dashboardState, initialState } from './reducer.ts';
import type { DrawnScreen, Terminal } from './screen.tsx';
import type { DashboardEvent, DashboardSetting, DashboardState, LinksToSite } from './state.ts';

/** Callbacks of the dashboard. */
export interface DashboardPorts {
  /** Resolves with false if the command changed nothing. A rejection is shown. */
  readonly steer: (command: SteerCommand) => boolean | Promise<boolean>;
  /** Explains in lines why a page was found and how it was judged. */
  readonly explain: (url: string) => Promise<readonly string[]>;
  /** Counts the links that wait for a site: a host and its subdomains. */
  readonly linksTo: (site: string) => Promise<LinksToSite>;
  /** Opens a page in the browser; resolves with a message for the user. */
  readonly open: (url: string) => Promise<string>;
  /** Changes topics of bingo.yaml by one line; resolves with a message for the user. */
  readonly editTopics: (line: string) => Promise<string>;
  /**
   * Runs a review on the same terminal, which is free meanwhile; resolves with a message. With `groups` it begins with the
   * groups of rejected pages.
   */
  readonly review: (start: { readonly groups: boolean }) => Promise<string>;
  /** The user wants the crawl to stop and save. */
  readonly stop: () => void;
  /** Ctrl-C, which is not sent as a signal while the dashboard reads keys. */
  readonly interrupt: () => void;
}

export interface DashboardOptions extends DashboardSetting, DashboardPorts {
  readonly terminal: Terminal;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** An open dashboard. Closing it never affects the crawl. */
export interface OpenDashboard {
  readonly dispatch: (event: DashboardEvent) => void;
  readonly state: () => DashboardState;
  /** Releases the terminal. */
  readonly close: () => Promise<void>;
  /** Resolves if the user left or `close` was called; rejects if drawing failed. */
  readonly ended: Promise<void>;
}

/** Interval between two frames while the crawl runs; keys are handled at once. */
const DRAW_MS = 400;

/** Takes over the terminal and draws the dispatched events. */
export async function openDashboard(options: DashboardOptions): Promise<OpenDashboard> {
  // React reads this when it loads; its development mode doubles the cost of a frame.
  process.env.NODE_ENV ??= 'production';
  const { openScreen } = await import('./screen.tsx');
  return new Session(options, openScreen);
}

class Session implements OpenDashboard {
  readonly #options: DashboardOptions;
  readonly #open: typeof import('./screen.tsx')['openScreen'];
  readonly #timer: NodeJS.Timeout;
  #screen: DrawnScreen;
  /** Set while a review uses the terminal; resolves once it is back. */
  #away: Promise<void> | undefined;
  #isClosing = false;
  readonly #end = Promise.withResolvers<void>();
  readonly ended: Promise<void> = this.#end.promise;
  #state: DashboardState;
  #drawn: DashboardState;

  constructor(options: DashboardOptions, openScreen: typeof import('./screen.tsx')['openScreen']) {
    const now = options.now ?? Date.now;
    const { title, ownsCrawl, timeMs, tree } = options;
    this.#options = options;
    this.#state = dashboardState(initialState({ title, ownsCrawl, timeMs, tree }), { kind: 'tick', now: now() });
    this.#drawn = this.#state;
    this.#open = openScreen;
    this.#screen = this.#takeTerminal();
    this.#timer = setInterval(() => {
      this.dispatch({ kind: 'tick', now: now() });
      this.#draw();
    }, DRAW_MS);
    this.ended.finally(() => clearInterval(this.#timer)).catch(() => {});
  }

  #takeTerminal(): DrawnScreen {
    const screen = this.#open(this.#options.terminal, this.#state, (key, size) => this.#onKey(key, size));
    screen.ended.then(() => {
      if (this.#away === undefined) this.#end.resolve();
    }, this.#end.reject);
    return screen;
  }

  readonly dispatch = (event: DashboardEvent): void => {
    this.#state = dashboardState(this.#state, event);
  };

  readonly state = (): DashboardState => this.#state;

  readonly close = async (): Promise<void> => {
    clearInterval(this.#timer);
    this.#isClosing = true;
    await this.#away;
    await this.#screen.close();
    this.#end.resolve();
  };

  /** Lends the terminal, and takes it back unless the crawl has ended meanwhile. */
  async #lend(use: () => Promise<string>): Promise<void> {
    const { stdin } = this.#options.terminal;
    const back = Promise.withResolvers<void>();
    this.#away = back.promise;
    try {
      // Wait until the current key has been processed: otherwise ink would take the terminal again.
      await nextTurn();
      await this.#screen.close();
      // Only a flowing stream can be paused; otherwise it would take keys meant for the review.
      stdin.resume().pause();
      const takeBack = lendKeys(stdin, 'process');
      this.#say(await use().finally(takeBack));
    } finally {
      this.#away = undefined;
      back.resolve();
      if (!this.#isClosing) this.#screen = this.#takeTerminal();
    }
  }

  #draw(): void {
    if (this.#away !== undefined || looksAlike(this.#drawn, this.#state)) return;
    this.#drawn = this.#state;
    this.#screen.draw(this.#state);
  }

  #onKey(key: KeyPress, size: Size): void {
    try {
      const { events, effects } = keyPressed(this.#state, key, atLeastSmallest(size));
      for (const event of events) this.dispatch(event);
      for (const effect of effects) void this.#carryOut(effect);
    } catch (error) {
      // A key never ends the crawl.
      this.#say(messageOf(error));
    }
    this.#draw();
  }

  async #carryOut(effect: Effect): Promise<void> {
    try {
      await this.#do(effect);
    } catch (error) {
      this.#say(messageOf(error));
    }
  }

  async #do(effect: Effect): Promise<void> {
    const { steer, explain, open, review, stop, interrupt, ownsCrawl } = this.#options;
    switch (effect.kind) {
      case 'steer': {
        const obeyed = await steer(effect.command);
        if (obeyed) this.dispatch({ kind: 'asked', command: effect.command });
        const done = ownsCrawl ? describeCommand : describeRequest;
        this.#say((obeyed ? done : describeRefusal)(effect.command));
        break;
      }
      case 'explain':
        this.dispatch({ kind: 'explained', url: effect.url, lines: await explain(effect.url) });
        break;
      case 'count-links':
        await this.#countLinks(effect.site);
        break;
      case 'open':
        this.#say(await open(effect.url));
        break;
      case 'edit-topics':
        this.#say(await this.#options.editTopics(effect.line));
        break;
      case 'review':
        // The key may be received twice at once; two reviews would share one terminal.
        if (this.#away === undefined) await this.#lend(() => review({ groups: effect.groups === true }));
        break;
      case 'stop':
        stop();
        this.#say('Stopping: finishing what is in flight and saving. Ctrl-C stops at once.');
        break;
      case 'interrupt':
        this.#say('Stopping: finishing what is in flight and saving. Ctrl-C again stops at once.');
        interrupt();
        break;
      case 'leave':
        // Wait until the current key has been processed: otherwise ink would take the terminal again.
        await nextTurn();
        await this.close();
        break;
    }
  }

  /** Counts a site's links. If that fails, the question is replaced by the reason. */
  async #countLinks(site: string): Promise<void> {
    try {
      this.dispatch({ kind: 'site-counted', site, links: await this.#options.linksTo(site) });
      this.#draw();
    } catch (error) {
      const { view } = this.#state;
      if (view.kind === 'site' && view.site === site) this.dispatch({ kind: 'view', view: { kind: 'overview' } });
      throw error;
    }
  }

  #say(text: string): void {
    this.dispatch({ kind: 'message', text });
    this.#draw();
  }
}

/** Whether only the clock changed, which a frame does not show. */
function looksAlike(a: DashboardState, b: DashboardState): boolean {
  return a === b || Object.keys(b).every((key) => key === 'now' || a[key as 'now'] === b[key as 'now']);
}
