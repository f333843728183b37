import { signal } from '@preact/signals';
import type { KeptUpload } from './kept.ts';

export type UploadState =
  | 'reading'
  | 'ready'
  | 'queued'
  | 'sending'
  | 'starting'
  | 'started'
  /** After a reload the browser does not give the file: it is chosen or dropped again. */
  | 'needsFile'
  | 'failed';

export interface Upload extends KeptUpload {
  readonly state: UploadState;
  /** Bytes that are there, and those that were there when the sending began. */
  readonly done: number;
  readonly before: number;
  /** When the sending began, in milliseconds since 1970. */
  readonly since: number;
  /** The connection is lost; it is tried again. */
  readonly waiting: boolean;
  /** What went wrong. */
  readonly error?: string | undefined;
}

/** All uploads of the reader that are not forgotten, the newest last. */
export const uploads = signal<readonly Upload[]>([]);

export const isSending = ({ state }: Pick<Upload, 'state'>): boolean =>
  state === 'queued' || state === 'sending' || state === 'starting';

/** Set while there is something to go on with after a reload. */
export const KEPT = 'uploads';
