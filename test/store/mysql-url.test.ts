import { expect, test } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { connectionOptions } from '../../src/store/mysql/database.ts';
import { isMysqlUrl, mysqlPlace, parseMysqlUrl } from '../../src/store/mysql/url.ts';

test('a password reaches the server unchanged, special characters included', () => {
  const password = `p@ss/w:rd#%? \\'é`;
  const encoded = `mysql://me:${encodeURIComponent(password)}@db.example:3307/bingo`;
  expect(connectionOptions(encoded)).toMatchObject({
    ...{ user: 'me', password, host: 'db.example', port: 3307, database: 'bingo' },
  });
  expect(mysqlPlace(encoded)).toBe('mysql://me@db.example:3307/bingo');
  // A percent sign that encodes no character is literal.
  expect(connectionOptions('mysql://me:100%secret@db/bingo')).toMatchObject({ password: '100%secret' });
});

test('a URL that its password makes ambiguous is rejected without showing the password', () => {
  for (const url of [
    'mysql://me:12/hush@db/bingo',
    'mysql://me:12#hush@db/bingo',
    'mysql://me:12?hush@db/bingo',
    'mysql://me:hu sh/@db/bingo',
    'mysql://db/bingo#hush',
    'mysql://db/bingo?ssl=hush',
  ]) {
    expect(isMysqlUrl(url)).toBe(false);
    let said = '';
    try {
      parseMysqlUrl(url);
    } catch (error) {
      said = `${(error as Error).message} ${(error as { hint?: string }).hint}`;
    }
    expect(said).toContain('%2F');
    expect(said).not.toContain('hush');
  }
});

test('a server with an unknown host name is reported as not answering', async () => {
  const options = { url: 'mysql://me@nowhere.invalid/bingo', workspace: '.', batch: 1, flushMs: 1, readOnly: true };
  await expect(openStore(options)).rejects.toMatchObject({
    code: 'STORE_LOST',
    hint: expect.stringContaining('store.url'),
  });
});
