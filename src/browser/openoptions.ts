// The options of the browser door. Apart from the messages that carry them: these declarations are in the
// package, and name nothing that is not.

/** How a store is opened in a browser. */
export interface OpenOptions {
  /**
   * Name of a folder in the browser's private file system, where what is written outlives the page. One tab
   * at a time can have it open. Default: everything is in memory.
   */
  folder?: string;
  /**
   * Address of a bundle that `tarsier pack` made. Without `folder` it is read by ranges, as searches need
   * it, and what is written is kept in memory. With `folder` it is copied there if the folder is empty: from
   * then on nothing is fetched any more.
   */
  bundle?: string | URL;
  /** Bound of the memory for building indexes: bytes, or a text such as `200 MiB`. Default: 128 MiB. */
  maxIndexingMemory?: number | string;
  /** Bound of the cached parts of indexes. Default: 64 MiB. */
  maxSearchMemory?: number | string;
  /** Of the library elsewhere; here a store has one thread beside that of the page, whatever it says. */
  threads?: number;
  /** Told while a bundle is copied. */
  onProgress?: (copiedBytes: number, totalBytes: number) => void;
}
