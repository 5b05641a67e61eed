/** What a process has used so far, as `probe.js` tells it. */
export interface Usage {
  /** User and system time of all its threads, in seconds. */
  readonly cpu: number;
  /** Greatest resident memory so far, in MB. */
  readonly peakMb: number;
  /** Resident memory now, in MB. */
  readonly residentMb: number;
  /** JavaScript heap of the main thread, in MB. */
  readonly heapMb: number;
  /** Written to files and sockets so far, in MB of a million bytes. */
  readonly writtenMb: number;
  /** Of a sample: what each thread holds. */
  readonly threads?: readonly ThreadUsage[];
  /** CPU time of each turn of the main thread's loop, in ms, where it was asked for. */
  readonly turns?: readonly number[];
}

/** Memory of one thread. */
export interface ThreadUsage {
  readonly thread: string;
  /** JavaScript heap in use, garbage that was not collected yet included, in MB. */
  readonly usedMb: number;
  /** The same with the room that V8 keeps for it. */
  readonly heapMb: number;
  /** Typed arrays, buffers and the like, in MB. */
  readonly outsideMb: number;
}
