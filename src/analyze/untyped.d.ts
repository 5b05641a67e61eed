/** Types for the used parts of packages without types. */
declare module 'html-encoding-sniffer' {
  function sniff(
    bytes: Uint8Array,
    options?: { readonly defaultEncoding?: string; readonly transportLayerEncodingLabel?: string },
  ): string;
  export = sniff;
}

declare module 'unzipper' {
  export interface ZipFile {
    readonly path: string;
    readonly pathBuffer: Buffer;
    readonly type: 'Directory' | 'File';
    readonly uncompressedSize: number;
    readonly flags: number;
    readonly compressionMethod: number;
    readonly compressedSize: number;
    readonly offsetToLocalFileHeader: number;
    stream(): NodeJS.ReadableStream & AsyncIterable<Uint8Array> & { destroy(): void };
  }
  export const Open: {
    buffer(data: Buffer, options: { readonly tailSize: number }): Promise<{ readonly files: readonly ZipFile[] }>;
    file(path: string): Promise<{ readonly files: readonly ZipFile[] }>;
  };
}
