import { Cron } from 'croner';
import type { Read, Rule } from './rules.ts';

/** `@daily` and the like stand for five fields. */
const NICKNAMES = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;
const FIELDS = 'Five fields: minute hour day month weekday, as in "30 2 * * MON-FRI"; or @hourly, @daily, @weekly.';

/** Rule for a cron expression of five fields; `''` = never. */
export function cron(): Rule<string> {
  return {
    expects: 'a cron expression such as "0 2 * * *", or empty',
    read: (value): Read<string> => {
      if (value === null) return { ok: true, value: '' };
      if (typeof value !== 'string') return { ok: false, hint: FIELDS };
      const expression = value.trim().replace(/\s+/g, ' ');
      if (expression === '') return { ok: true, value: '' };
      if (!NICKNAMES.test(expression) && expression.split(' ').length !== 5) return { ok: false, hint: FIELDS };
      try {
        const isEver = new Cron(expression, { timezone: 'UTC' }).nextRun(new Date(0)) instanceof Date;
        return isEver ? { ok: true, value: expression } : { ok: false, hint: 'No day matches it.' };
      } catch (error) {
        const why = (error as Error).message.replace(/^CronPattern: /, '');
        return { ok: false, hint: `${why}. ${FIELDS}` };
      }
    },
    write: (value) => JSON.stringify(value),
  };
}

/** Rule for the name of a time zone; `''` = that of the system. */
export function timezone(): Rule<string> {
  return {
    expects: 'a time zone such as Europe/Berlin, or empty',
    read: (value) => {
      if (value === null || value === '') return { ok: true, value: '' };
      if (typeof value !== 'string') return { ok: false };
      try {
        return { ok: true, value: new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone };
      } catch {
        return { ok: false, hint: 'Names are as in the IANA database: Europe/Berlin, America/New_York, UTC.' };
      }
    },
    write: (value) => JSON.stringify(value),
  };
}

/**
 * Returns the first time after `after` that an expression matches, in ms since 1970; `undefined` if none does. A time that a
 * clock change leaves out moves to the hour behind it.
 * @param expression as read by {@link cron}
 * @param timezone IANA name; `''` = that of the system
 */
export function nextTime(expression: string, timezone: string, after: number): number | undefined {
  const options = timezone === '' ? {} : { timezone };
  return new Cron(expression, options).nextRun(new Date(after))?.getTime();
}
