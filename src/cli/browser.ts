import { spawn } from 'node:child_process';

/** The program that opens an address, by platform. None of them is a shell: an address cannot say what to run. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

/** Opens a page of the web in the person's browser; resolves with what to tell the person. */
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
