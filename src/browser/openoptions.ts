// The options of the browser door. Separate from the messages that carry them, because these declarations are
// in the package and may name nothing that is not.

/** How a store is opened in a browser. */
export interface OpenOptions {
  /**
   * Name of a folder in the browser's private file system; what is written there outlives the page. Only one
   * tab at a time can have it open. Default: everything is in memory.
   */
  folder?: string;
  /**
   * Address of a bundle made by `tarsier pack`. Without `folder` it is read by ranges as searches need it,
   * and writes stay in memory. With `folder` it is copied there if the folder is empty; nothing more is
   * fetched afterwards.
   */
  bundle?: string | URL;
  /** Bound of memory for indexing: bytes, or a text such as `200 MiB`. Default: 128 MiB. */
  maxIndexingMemory?: number | string;
  /** Bound of memory for cached parts of indexes. Default: 64 MiB. */
  maxSearchMemory?: number | string;
  /** Accepted for compatibility with `tarsier`; ignored: a browser store always runs in one worker. */
  threads?: number;
  /** Called while a bundle is copied. */
  onProgress?: (copiedBytes: number, totalBytes: number) => void;
}
