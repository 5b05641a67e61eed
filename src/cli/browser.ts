import { spawn } from 'node:child_process';

/** The program that opens a URL, by platform. None of them is a shell, so a URL cannot run commands. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

/** Opens a web page in the user's browser; resolves with a message for the user. */
export async function openInBrowser(url: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  if (!/^https?:\/\//.test(url)) return `Not a page of the web: ${url}`;
  const program = env.BROWSER || (OPENERS[process.platform] ?? 'xdg-open');
  return await new Promise((resolve) => {
    const child = spawn(program, [url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(`No browser could be started (${program}). The page: ${url}`));
    child.once('spawn', () => {
      child.unref();
      resolve(`Opened ${url}`);
    });
  });
}
