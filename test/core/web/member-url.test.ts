import { expect, it } from 'vitest';
import { archiveOfMember, canonicalize, isArchiveUrl, memberUrl } from '../../../src/core/index.ts';

const url = (text: string): ReturnType<typeof canonicalize> & string => canonicalize(text)!;

it('gives each archive member its own URL, which leads back to the archive', () => {
  const member = memberUrl('http://a.test/papers.zip', 'two words/ä?#%.html')!;
  expect(member).toBe('http://a.test/papers.zip!/two%20words/%C3%A4%3F%23%25.html');
  expect(archiveOfMember(member)).toBe('http://a.test/papers.zip');
  for (const archive of ['http://a.test/x.tar.gz', 'http://a.test/x.TGZ', 'http://a.test/x.tar'])
    expect(archiveOfMember(memberUrl(archive, 'y.txt')!)).toBe(archive);
  expect(archiveOfMember(memberUrl(memberUrl('http://a.test/o.zip', 'in.zip')!, 'x')!)).toBe('http://a.test/o.zip');
});

it('does not read other URLs with an exclamation mark as members', () => {
  for (const text of ['http://a.test/wow!/x', 'http://a.test/!/x.zip', 'http://a.zip!/x', 'http://x.zip!/'])
    expect(archiveOfMember(url(text)), text).toBeUndefined();
});

it('gives member URLs only to files with the extension of an archive', () => {
  expect(['http://a.test/x.ZIP', 'http://a.test/x.tar.gz', 'http://a.test/o.zip!/in.zip'].every(isArchiveUrl)).toBe(
    true,
  );
  expect(
    [
      'http://a.test/x.zip?v=1',
      'http://a.test/x.jar',
      'http://a.test/x.gz',
      'http://a.test/x.star',
      'http://a.test/zip',
    ].some(isArchiveUrl),
  ).toBe(false);
});
