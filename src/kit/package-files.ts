/** Folder of the package, relative to this module in `src/kit/` or to its bundle in `dist/`. */
const ROOT = import.meta.url.replace(/(?:src\/kit|dist)\/[^/]*$/, '');

/**
 * Returns the URL of a file or folder of the package.
 * @param path relative to the folder with `package.json`, with `/`; a folder ends with `/`
 */
export function packageFile(path: string): URL {
  return new URL(path, ROOT);
}

/**
 * Returns the built code of a thread, a child process or a browser script.
 *
 * Running from source (tests, benchmarks) uses the built code as well. A thread that loads TypeScript compiles a
 * WebAssembly module of several MB to strip the types, which takes half a second each time, and V8 may crash after
 * hundreds of them.
 * @param name name of an entry in `scripts/build.ts`; browser scripts start with `browser/`
 */
export function builtFile(name: string): URL {
  return packageFile(`dist/${name}.js`);
}
