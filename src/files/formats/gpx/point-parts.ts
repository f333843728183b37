import type { ByteSource } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { parseXml } from '../io/xml.ts';

/** What the points of the routes or tracks of a file have. */
export interface PointParts {
  points: number;
  withHeight: number;
  /** Names of their other elements. */
  readonly others: Set<string>;
}

const layers: Readonly<Record<string, string>> = { rtept: 'routes', trkpt: 'tracks' };
/** Names of elements that are told at most. */
const mostNames = 30;

/** GDAL makes lines of the points of routes and tracks, without what the points have beside their place and height. */
export async function findPointParts(source: ByteSource, signal: AbortSignal): Promise<Record<string, PointParts>> {
  const found: Record<string, PointParts> = {
    routes: { points: 0, withHeight: 0, others: new Set() },
    tracks: { points: 0, withHeight: 0, others: new Set() },
  };
  const open: string[] = [];
  const handler = {
    open(name: string) {
      const own = found[layers[name] ?? ''];
      if (own !== undefined) own.points++;
      const parts = found[layers[open.at(-1) ?? ''] ?? ''];
      if (parts !== undefined) {
        if (name === 'ele') parts.withHeight++;
        else if (parts.others.size < mostNames) parts.others.add(name);
      }
      open.push(name);
    },
    text() {},
    close: () => void open.pop(),
  };
  for await (const _ of parseXml(source, handler, signal)) signal.throwIfAborted();
  return found;
}

export function reportPointParts(layer: string, parts: PointParts, { reportLoss }: Context): void {
  const { points, withHeight, others } = parts;
  if (withHeight > 0 && withHeight < points)
    reportLoss(`${points - withHeight} of ${points} points of ${layer} have no height; it became 0.`);
  if (others.size > 0)
    reportLoss(
      `The points of ${layer} lost their elements ${[...others].join(', ')}. The layer ${layer.slice(0, -1)}_points has them.`,
    );
}
