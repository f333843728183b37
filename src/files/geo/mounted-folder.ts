import { randomUUID } from 'node:crypto';
import type { Gdal } from './wasm.ts';

/** Mounts a folder of the disk in the module's file system for the duration of `f`. */
export function withFolder<T>(module: Gdal, folder: string, f: (mounted: string) => T): T {
  const point = `/${randomUUID()}`;
  module.FS.mkdir(point);
  module.FS.mount(module.NODEFS, { root: folder }, point);
  try {
    return f(point);
  } finally {
    module.FS.unmount(point);
    module.FS.rmdir(point);
  }
}

/** GDAL's message without the names of temporary files. */
export const gdalSentence = (message: string): string =>
  `${
    message
      .replace(/\/[0-9a-f-]{36}[^\s:,]*(?:: |, )?/g, '')
      .replace(/\s+/g, ' ')
      .slice(0, 300) || 'it gives no reason'
  }.`;
