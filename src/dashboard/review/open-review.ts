import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Judgement, TopicId } from '../../core/index.ts';
import type { GroupUse, Proposal, RejectedGroup, ReviewPage, ReviewText } from '../../workbench/index.ts';
import type { KeyPress } from '../key-press.ts';
import { atLeastSmallest, type Size, SMALLEST } from '../layout.ts';
import { messageOf } from '../message-of.ts';
import type { DrawnScreen, Terminal } from '../screen.tsx';
import { withGroupDecided } from './groups.ts';
import { type ReviewAction, reviewKey } from './review-keys.ts';
import {
  type EffectState,
  initialReview,
  type ReviewEffect,
  type ReviewSetting,
  type ReviewState,
  selectedPage,
  shownTopic,
  textKey,
} from './review-state.ts';

/** Callbacks of the review. */
export interface ReviewPorts {
  readonly text: (page: ReviewPage) => Promise<ReviewText>;
  /** Returns why decisions cannot be applied; `undefined` if they can. */
  readonly objection: (judgements: readonly Judgement[]) => string | undefined;
  /** Returns what decisions would change; writes nothing. */
  readonly preview: (judgements: readonly Judgement[]) => Promise<ReviewEffect>;
  /** Applies the decisions of the last preview; resolves with the next pages, or `undefined` if the review ends. */
  readonly apply: (
    judgements: readonly Judgement[],
    onProgress: (text: string) => void,
  ) => Promise<NextReview | undefined>;
  /** Saves decisions that are not applied yet, in case the review is interrupted. */
  readonly keep: (judgements: readonly Judgement[]) => void;
  readonly propose: () => Promise<readonly Proposal[]>;
  /** Applies a proposal after the user has accepted it. The review ends. */
  readonly accept: (proposal: Proposal, onProgress: (text: string) => void) => Promise<void>;
  /** Groups the rejected pages by content; reports the pages read, and their number. */
  readonly groups: (onRead: (pages: number, of: number) => void) => Promise<readonly RejectedGroup[]>;
  /** Returns the decisions that make a group counter-examples, or lock its hosts. */
  readonly decideGroup: (group: number, use: GroupUse) => Promise<readonly Judgement[]>;
  /** Makes a group a topic. The review ends. */
  readonly makeTopic: (group: number, name: string, onProgress: (text: string) => void) => Promise<void>;
  /** Removes a topic that was made of a group. The review ends. */
  readonly removeTopic: (topic: TopicId, onProgress: (text: string) => void) => Promise<void>;
  /** Changes topics of bingo.yaml by one line; resolves with a message for the user. */
  readonly editTopics: (line: string) => Promise<string>;
  /** Opens a page in the browser; resolves with a message for the user. */
  readonly open: (url: string) => Promise<string>;
  /** Ctrl-C while decisions are applied, which is not sent as a signal while the review reads keys. */
  readonly interrupt: () => void;
}

export interface ReviewOptions extends ReviewSetting, ReviewPorts {
  /** Begin with the groups of rejected pages. Default: false. */
  readonly beginsWithGroups?: boolean;
  readonly terminal: Terminal;
}

/** How a review continues after decisions were applied: with other pages, and a message. */
export type NextReview = Pick<ReviewState, 'topics' | 'message'>;

/** Keys that follow faster than this are one change: the effect is computed after a pause. */
const REST_MS = 300;

/** How a review ended: `applied` by a change after which it cannot continue; `broken off` by Ctrl-C. */
export type ReviewEnding = 'applied' | 'left' | 'broken off';

/** Shows a review on a terminal; resolves once the user is done. */
export async function openReview(options: ReviewOptions): Promise<ReviewEnding> {
  process.env.NODE_ENV ??= 'production';
  const { openReviewScreen } = await import('../screen.tsx');
  return await new ReviewSession(options, openReviewScreen).done();
}

class ReviewSession {
  readonly #options: ReviewOptions;
  readonly #screen: DrawnScreen<ReviewState>;
  #state: ReviewState;
  #wantsEffect = false;
  #timer: NodeJS.Timeout | undefined;
  #ending: ReviewEnding = 'left';
  #isCounting = false;
  readonly #asked = new Set<string>();
  #isProposing = false;
  #isGrouping = false;

  constructor(options: ReviewOptions, open: typeof import('../screen.tsx')['openReviewScreen']) {
    this.#options = options;
    const { title, topics, places, earlier = [], news, madeTopic, beginsWithGroups = false } = options;
    this.#state = initialReview({ title, topics, places, earlier, news, madeTopic });
    this.#screen = open(options.terminal, this.#state, (key, size) => this.#onKey(key, size));
    if (earlier.length > 0) this.#countEffect();
    this.#fetchText();
    if (beginsWithGroups) this.#onKey({ name: 'text', text: 'g' }, SMALLEST);
  }

  async done(): Promise<ReviewEnding> {
    try {
      await this.#screen.ended;
    } finally {
      clearTimeout(this.#timer);
    }
    return this.#ending;
  }

  #onKey(key: KeyPress, size: Size): void {
    try {
      const before = this.#state.decided;
      const { state, action } = reviewKey(this.#state, key, atLeastSmallest(size));
      this.#change(state);
      if (state.decided !== before) this.#decisionsChanged();
      this.#fetchText();
      if (action !== undefined) void this.#carryOut(action).catch((error: unknown) => this.#say(messageOf(error)));
    } catch (error) {
      // A key never ends the process: decisions must be saved.
      this.#say(messageOf(error));
    }
  }

  async #carryOut(action: ReviewAction): Promise<void> {
    switch (action.kind) {
      case 'open':
        this.#say(await this.#options.open(action.url));
        break;
      case 'edit-topics':
        this.#say(await this.#options.editTopics(action.line));
        break;
      case 'propose':
        await this.#propose();
        break;
      case 'group':
        await this.#group();
        break;
      case 'decide-group':
        await this.#decideGroup(action.group, action.use);
        break;
      case 'make-topic':
        await this.#apply((tell) => this.#options.makeTopic(action.group, action.name, tell).then(() => undefined));
        break;
      case 'remove-topic':
        await this.#apply((tell) => this.#options.removeTopic(action.topic, tell).then(() => undefined));
        break;
      case 'accept':
        await this.#apply((tell) => this.#options.accept(action.proposal, tell).then(() => undefined));
        break;
      case 'apply':
        await this.#apply((tell) => this.#options.apply([...this.#state.decided.values()], tell));
        break;
      case 'interrupt':
        this.#options.interrupt();
        break;
      case 'break-off':
        this.#ending = 'broken off';
        await this.#leave();
        break;
      case 'leave':
        await this.#leave();
        break;
    }
  }

  async #leave(): Promise<void> {
    // Wait until the current key has been processed: otherwise ink would take the terminal again.
    await nextTurn();
    await this.#screen.close();
  }

  async #propose(): Promise<void> {
    if (this.#isProposing) return;
    this.#isProposing = true;
    try {
      const proposals = await this.#options.propose();
      this.#change({ ...this.#state, proposals });
    } catch (error) {
      this.#isProposing = false;
      throw error;
    }
  }

  /** Groups the rejected pages once; applied decisions change them. */
  async #group(): Promise<void> {
    if (this.#isGrouping || this.#state.groups.kind === 'known') return;
    this.#isGrouping = true;
    try {
      const groups = await this.#options.groups((read, of) =>
        this.#change({ ...this.#state, groups: { kind: 'reading', read, of } }),
      );
      this.#change({ ...this.#state, groups: { kind: 'known', groups, decided: new Map() } });
    } catch (error) {
      this.#change({ ...this.#state, groups: { kind: 'none' }, view: { kind: 'pages' } });
      throw error;
    } finally {
      this.#isGrouping = false;
    }
  }

  async #decideGroup(group: number, use: GroupUse): Promise<void> {
    this.#change(withGroupDecided(this.#state, group, await this.#options.decideGroup(group, use)));
    this.#decisionsChanged();
  }

  async #apply(apply: (tell: (text: string) => void) => Promise<NextReview | undefined>): Promise<void> {
    let next: NextReview | undefined;
    try {
      next = await apply((text) => this.#say(text));
      this.#options.keep([]);
    } catch (error) {
      this.#change({ ...this.#state, view: { kind: 'pages' } });
      throw error;
    }
    if (next !== undefined) {
      this.#continue(next);
      return;
    }
    this.#ending = 'applied';
    await this.#screen.close();
  }

  /** Shows the next pages, of the same topic first. */
  #continue({ topics, message }: NextReview): void {
    const { title, places } = this.#options;
    const shown = shownTopic(this.#state)?.id;
    const topicAt = Math.max(
      0,
      topics.findIndex(({ id }) => id === shown),
    );
    this.#asked.clear();
    this.#isProposing = false;
    this.#change({ ...initialReview({ title, topics, places }), topicAt, message });
    this.#fetchText();
  }

  #decisionsChanged(): void {
    try {
      this.#options.keep([...this.#state.decided.values()]);
    } catch (error) {
      this.#say(`The decisions cannot be kept for later: ${messageOf(error)}`);
    }
    this.#countEffect();
  }

  #countEffect(): void {
    const judgements = [...this.#state.decided.values()];
    const reason = this.#options.objection(judgements);
    this.#wantsEffect = judgements.length > 0 && reason === undefined;
    clearTimeout(this.#timer);
    if (reason !== undefined) this.#setEffect({ kind: 'refused', reason });
    else this.#setEffect(this.#wantsEffect ? { kind: 'pending' } : { kind: 'none' });
    if (this.#wantsEffect) this.#timer = setTimeout(() => void this.#preview(), REST_MS);
  }

  /** Runs one preview at a time; later changes are included in the next. */
  async #preview(): Promise<void> {
    const { decided } = this.#state;
    if (!this.#wantsEffect || this.#isCounting) return;
    this.#isCounting = true;
    let effect: EffectState;
    try {
      effect = { kind: 'known', effect: await this.#options.preview([...decided.values()]) };
    } catch (error) {
      effect = { kind: 'refused', reason: messageOf(error) };
    } finally {
      this.#isCounting = false;
    }
    if (this.#state.decided === decided) this.#setEffect(effect);
    else await this.#preview();
  }

  #fetchText(): void {
    const page = selectedPage(this.#state);
    if (page === undefined || this.#asked.has(textKey(page))) return;
    this.#asked.add(textKey(page));
    const { topics } = this.#state;
    this.#options.text(page).then(
      (text) => {
        // Terms of an older model are not kept.
        if (this.#state.topics === topics)
          this.#change({ ...this.#state, texts: new Map(this.#state.texts).set(textKey(page), text) });
      },
      (error: unknown) => this.#say(messageOf(error)),
    );
  }

  #setEffect(effect: EffectState): void {
    this.#change({ ...this.#state, effect });
  }

  #say(message: string): void {
    this.#change({ ...this.#state, message });
  }

  #change(state: ReviewState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#screen.draw(state);
  }
}
