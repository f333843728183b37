import type { Access, PreviewContent } from './content.ts';
import type { PreviewRow } from './previews.queries.ts';

/** What can be drawn: the content, or the store that was made of it. */
export interface DrawableContent extends Omit<PreviewContent, 'access'> {
  readonly access: Exclude<Access, 'store'>;
  readonly blob?: string;
  /** Names the local file of the content, with an overview and without. */
  readonly fileKey?: string;
  /** Name of the blob of its overview. */
  readonly overview?: string;
  /** Absent: nobody asked for an overview. `none`: there will be none. */
  readonly overviewState?: 'building' | 'ready' | 'none';
}

export type PreviewState =
  | { readonly state: 'ready'; readonly content: DrawableContent }
  | { readonly state: 'building'; readonly progress: number }
  | { readonly state: 'none' | 'failed'; readonly reason: string };

/** Whose coarse tiles would read more cells than are held in memory until its overview is made. */
export interface MissingOverview {
  readonly cells: number;
  readonly most: number;
}

/** A content with its overview, as far as it has one. Its key then names another version. */
export function withOverview(content: DrawableContent, row: PreviewRow | null): DrawableContent {
  if (row === null) return content;
  const { state, overview } = row;
  if (overview !== undefined)
    return { ...content, key: `${content.key} ${overview}`, fileKey: content.key, overview, overviewState: 'ready' };
  return { ...content, overviewState: row.needs === 'overview' && state === 'building' ? 'building' : 'none' };
}
