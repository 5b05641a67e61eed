import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { askNamedOrigin, sendMail } from '../../fetch/index.ts';
import { hash53, safeJson } from '../../kit/index.ts';
import { writeNamedFile } from '../workspace/out-file.ts';
import { readSecret, SECRET } from '../workspace/secret.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { newsFeed, newsSubject, newsText } from './news-text.ts';
import type { NewsItem, NewsMessage } from './notify-state.ts';

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** A way to notify the user. */
export interface Channel {
  /** Stays the same while the setting does. Contains no secret. */
  readonly name: string;
  /**
   * Sends a message.
   * @param recent all recent items, newest first
   * @throws Error that says why it was not taken
   */
  readonly send: (message: NewsMessage, recent: readonly NewsItem[]) => Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the channels that bingo.yaml names. Secrets are read when a message is sent.
 * @throws UsageError if mail has a receiver and no server
 */
export function channelsOf(workspace: Workspace, env: Environment): readonly Channel[] {
  const { atom, webhooks, mailTo } = workspace.config.notify;
  return [
    ...(atom === '' ? [] : [atomChannel(workspace, atom)]),
    ...webhooks.map((address) => webhookChannel(workspace, address, env)),
    ...(mailTo.length === 0 ? [] : [mailChannel(workspace, env)]),
  ];
}

function atomChannel({ dir }: Workspace, file: string): Channel {
  return {
    name: 'atom',
    send: async (message, recent) => await writeNamedFile(join(dir, file), [newsFeed(message.workspace, recent)]),
  };
}

/** An address may hold a secret, so only its origin is shown. */
function webhookChannel({ dir, config }: Workspace, setting: string, env: Environment): Channel {
  const { network, notify } = config;
  const isSecret = SECRET.test(setting);
  const shown = isSecret ? setting : `${new URL(setting).host} ${hash53(setting).toString(36).slice(0, 6)}`;
  return {
    name: `webhook ${shown}`,
    send: async (message) => {
      const place = { dir, env };
      const address = isSecret ? readSecret(setting, { ...place, key: 'notify.webhooks' }) : setting;
      const key =
        notify.webhookKey === '' ? undefined : readSecret(notify.webhookKey, { ...place, key: 'notify.webhookKey' });
      const body = safeJson(message);
      const answer = await askNamedOrigin(address, {
        ...{ accept: '*/*', json: body, network, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES },
        userAgent: network.userAgent,
        headers: webhookHeaders(message.id, body, key),
      });
      if (answer.kind === 'answer' && answer.status >= 200 && answer.status < 300) return;
      // What an answer says beyond 2xx does not matter.
      if (answer.kind === 'too-large' || answer.kind === 'broken-off') return;
      throw new Error(answer.kind === 'answer' ? `answered with status ${answer.status}` : answer.detail);
    },
  };
}

/**
 * Returns the header fields of Standard Webhooks (standardwebhooks.com): id, time and signature.
 * @param key a text, or `whsec_` and base64; `undefined` = unsigned
 */
export function webhookHeaders(id: string, body: string, key: string | undefined): readonly string[] {
  const seconds = String(Math.floor(Date.now() / 1000));
  const fields = ['webhook-id', id, 'webhook-timestamp', seconds];
  if (key === undefined) return fields;
  const bytes = key.startsWith('whsec_') ? Buffer.from(key.slice('whsec_'.length), 'base64') : Buffer.from(key);
  const signature = createHmac('sha256', bytes).update(`${id}.${seconds}.${body}`).digest('base64');
  return [...fields, 'webhook-signature', `v1,${signature}`];
}

function mailChannel({ dir, config }: Workspace, env: Environment): Channel {
  const { mailTo, mailFrom, mailServer, mailPassword } = config.notify;
  return {
    name: 'mail',
    send: async (message) => {
      if (mailServer === '') throw new Error('notify.mailServer is not set');
      const password =
        mailPassword === '' ? undefined : readSecret(mailPassword, { dir, env, key: 'notify.mailPassword' });
      const { insecureTls } = config.network;
      await sendMail(
        { address: mailServer, password, timeoutMs: TIMEOUT_MS, insecureTls },
        {
          ...{ id: message.id, from: mailFrom === '' ? mailTo[0]! : mailFrom, to: mailTo },
          ...{ subject: newsSubject(message), text: newsText(message) },
        },
      );
    },
  };
}
