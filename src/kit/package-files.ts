/** The folder of the package, seen from this module in `src/kit/` or from a piece of what is built in `dist/`. */
const ROOT = import.meta.url.replace(/(?:src\/kit|dist)\/[^/]*$/, '');

/**
 * A file or folder that comes with the package.
 * @param path - from the folder that holds `package.json`, with `/`; one that ends with `/` is a folder
 */
export function packageFile(path: string): URL {
  return new URL(path, ROOT);
}

/**
 * Where the built code of a thread, a child process or a script for browsers lies.
 *
 * From source (tests, benchmarks) it is the built one too: a thread that reads TypeScript compiles a WebAssembly module of
 * several MB to strip the types, which costs half a second each time, and V8 does not always survive hundreds of them.
 * @param name - of an entry in `scripts/build.ts`, scripts for browsers with `browser/` before it
 */
export function builtFile(name: string): URL {
  return packageFile(`dist/${name}.js`);
}
