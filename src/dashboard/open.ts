import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SteerCommand } from '../core/index.ts';
import type { KeyPress } from './key-press.ts';
import { type Effect, keyPressed } from './keys.ts';
import { atLeastSmallest, type Size } from './layout.ts';
import { messageOf } from './message-of.ts';
import { dashboardState, initialState } from './reducer.ts';
import type { DrawnScreen, Terminal } from './screen.tsx';
import type { DashboardEvent, DashboardSetting, DashboardState, LinksToSite } from './state.ts';
import { describeCommand, describeRefusal, describeRequest } from './told.ts';

/** What the dashboard asks of whoever opened it. */
export interface DashboardPorts {
  /** False: the command changed nothing. A rejection is shown. */
  readonly steer: (command: SteerCommand) => boolean | Promise<boolean>;
  /** Why a page was found and judged as it was, as lines. */
  readonly explain: (url: string) => Promise<readonly string[]>;
  /** How many links wait for a site: a host and those below its name. */
  readonly linksTo: (site: string) => Promise<LinksToSite>;
  /** Shows a page in the browser; resolves with what to tell the person. */
  readonly open: (url: string) => Promise<string>;
  /** Has the person review, on the same terminal, which is free meanwhile; resolves with what to tell afterwards. */
  readonly review: () => Promise<string>;
  /** The person wants the crawl to stop and save. */
  readonly stop: () => void;
  /** Ctrl-C, which does not come as a signal while the dashboard listens to keys. */
  readonly interrupt: () => void;
}

export interface DashboardOptions extends DashboardSetting, DashboardPorts {
  readonly terminal: Terminal;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** An open dashboard. Its end never touches the crawl. */
export interface OpenDashboard {
  readonly dispatch: (event: DashboardEvent) => void;
  readonly state: () => DashboardState;
  /** Gives the terminal back. */
  readonly close: () => Promise<void>;
  /** Resolves when the person left or `close` was called; rejects when drawing failed. */
  readonly ended: Promise<void>;
}

/** Time between two pictures of a crawl that goes on; keys are answered at once. */
const DRAW_MS = 400;

/** Takes the terminal over and draws what is dispatched to it. */
export async function openDashboard(options: DashboardOptions): Promise<OpenDashboard> {
  // React looks at this when it loads; in its development mode a picture costs twice as much.
  process.env.NODE_ENV ??= 'production';
  const { openScreen } = await import('./screen.tsx');
  return new Session(options, openScreen);
}

class Session implements OpenDashboard {
  readonly #options: DashboardOptions;
  readonly #open: typeof import('./screen.tsx')['openScreen'];
  readonly #timer: NodeJS.Timeout;
  #screen: DrawnScreen;
  /** The terminal is lent to a review; resolves when it is back. */
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

  dispatch = (event: DashboardEvent): void => {
    this.#state = dashboardState(this.#state, event);
  };

  state = (): DashboardState => this.#state;

  close = async (): Promise<void> => {
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
      // Not while the key that asked for it is still being read: ink would take hold of the terminal again.
      await nextTurn();
      await this.#screen.close();
      // Only a stream that flowed stops reading: it would take keys away that are meant for the review.
      stdin.resume().pause();
      this.#say(await use());
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
      // A key never ends the crawl that is shown.
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
      case 'review':
        // The key may come twice at once; two reviews would share one terminal.
        if (this.#away === undefined) await this.#lend(review);
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
        // Not while the key that asked for it is still being read: ink would take hold of the terminal again.
        await nextTurn();
        await this.close();
        break;
    }
  }

  /** A question that cannot be asked stands in the way of why. */
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

/** True when only the clock moved on: what is drawn does not show it. */
function looksAlike(a: DashboardState, b: DashboardState): boolean {
  return a === b || Object.keys(b).every((key) => key === 'now' || a[key as 'now'] === b[key as 'now']);
}
