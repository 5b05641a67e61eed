import { readFile } from 'node:fs/promises';
import { packageFile } from '../kit/index.ts';
import { SAFE_HEADERS } from './reply.ts';

/** The page runs its own script alone and talks to its own server alone. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const FILES: Readonly<Record<string, readonly [path: string, type: string]>> = {
  'studio.js': ['dist/browser/studio.js', 'text/javascript; charset=utf-8'],
  'studio.css': ['assets/studio/studio.css', 'text/css; charset=utf-8'],
  'icon.svg': ['assets/studio/icon.svg', 'image/svg+xml'],
  'manifest.webmanifest': ['assets/studio/manifest.webmanifest', 'application/manifest+json'],
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Bingo studio</title>
<link rel="icon" type="image/svg+xml" href="/studio/icon.svg">
<link rel="manifest" href="/studio/manifest.webmanifest">
<link rel="stylesheet" href="/studio/studio.css">
<script src="/studio/studio.js" defer></script>
</head>
<body>
<div id="studio"><noscript>The studio needs JavaScript. The <a href="/">search page</a> does not.</noscript></div>
</body>
</html>
`;

/** Returns the page of the studio; its script draws everything. */
export function studioPage(): Response {
  return new Response(PAGE, { headers: headersOf('text/html; charset=utf-8') });
}

/** Returns a file of the studio; `undefined` for another name. */
export async function studioFile(name: string): Promise<Response | undefined> {
  const found = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (found === undefined) return undefined;
  const [path, type] = found;
  return new Response(await readFile(packageFile(path)), { headers: headersOf(type) });
}

/** Takes a page that another application shares, and asks what it is good for. */
export function shared(asked: URLSearchParams): Response {
  const given = [asked.get('url'), asked.get('text')].map((text) => /https?:\/\/\S+/.exec(text ?? '')?.[0]);
  const url = given.find((one) => one !== undefined) ?? '';
  return new Response(null, {
    status: 302,
    headers: { ...SAFE_HEADERS, location: `/studio#/add/${encodeURIComponent(url)}` },
  });
}

function headersOf(type: string): Record<string, string> {
  return { ...SAFE_HEADERS, 'content-security-policy': POLICY, 'content-type': type, 'cache-control': 'no-cache' };
}
