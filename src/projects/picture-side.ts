import { z } from 'zod';
import { AppError } from '../errors.ts';

/** Longer sides of the pictures of a thumbnail in pixels, as the library draws them. */
export const SIDES = [512, 256, 128, 64] as const;
export type Side = (typeof SIDES)[number];

/** The largest stored side that is at most so long. */
export const sideFor = (size: number): Side => SIDES.find((side) => side <= size) ?? 64;

export const sizeQuery = z.object({
  size: z.coerce.number().int().min(64).max(512).default(512).meta({
    description: 'Maximum width and height in pixels. Pictures of 64, 128, 256 and 512 pixels are stored.',
    example: 256,
  }),
});

export const noThumbnail = (noun: string, id: string) =>
  new AppError('notFound', `${noun} '${id}' has no thumbnail.`, { code: 'NoThumbnail' });
