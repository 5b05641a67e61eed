import { type ReactNode, useEffect, useRef, useState } from 'react';
import { told } from './api.ts';
import { Problem } from './parts.tsx';

/** Rows loaded at a time, and blocks of them that are kept. */
const BLOCK = 100;
const KEPT_BLOCKS = 30;
/** Rows drawn above and below the visible ones. */
const MARGIN = 8;

interface Props<T> {
  readonly label: string;
  readonly total: number;
  /** Height of every row in pixels. */
  readonly rowHeight: number;
  /** Names the list; another name drops what was loaded. */
  readonly name: string;
  /** Loads some rows. */
  readonly load: (offset: number, limit: number) => Promise<readonly T[]>;
  readonly row: (item: T, index: number) => ReactNode;
}

/** A list of any length that draws its visible rows alone and loads them block by block. */
export function VirtualList<T>({ label, total, rowHeight, name, load, row }: Props<T>): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [blocks, setBlocks] = useState<ReadonlyMap<number, readonly T[]>>(new Map());
  const [problem, setProblem] = useState<string>();
  const asked = useRef(new Set<number>());
  const shown = useRef(name);
  useEffect(() => {
    shown.current = name;
    asked.current.clear();
    setBlocks(new Map());
    setProblem(undefined);
    place.current?.scrollTo(0, 0);
  }, [name]);
  useEffect(() => {
    const look = (): void => setHeight(place.current?.clientHeight ?? 600);
    look();
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  }, []);
  const from = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
  const to = Math.min(total, Math.ceil((top + height) / rowHeight) + MARGIN);
  useEffect(() => {
    for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block++) {
      if (asked.current.has(block)) continue;
      asked.current.add(block);
      const isShown = (): boolean => shown.current === name;
      load(block * BLOCK, BLOCK).then(
        (rows) => isShown() && setBlocks((now) => new Map([...now, [block, rows] as const].slice(-KEPT_BLOCKS))),
        (error: unknown) => isShown() && setProblem(told(error)),
      );
    }
  }, [from, to, load, name]);
  // A block that was dropped is loaded again when it is seen again.
  useEffect(() => {
    for (const block of [...asked.current])
      if (blocks.size >= KEPT_BLOCKS && !blocks.has(block)) asked.current.delete(block);
  }, [blocks]);
  return (
    <>
      <Problem text={problem} />
      <section
        className="virtual"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        ref={place}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <ol className="plain" style={{ height: total * rowHeight }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, i) => {
            const index = from + i;
            const item = blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK];
            return (
              <li
                key={index}
                aria-posinset={index + 1}
                aria-setsize={total}
                style={{ top: index * rowHeight, height: rowHeight }}
              >
                {item === undefined ? <span className="soft">…</span> : row(item, index)}
              </li>
            );
          })}
        </ol>
      </section>
    </>
  );
}
