import { eumItemNamed, eumUnitNamed } from 'hydrofiles/data';
import { z } from 'zod';

const shortened = (input: unknown) => String(input).slice(0, 60);

/** A member with the identifier of an EUM unit. */
export const eumUnitText = () =>
  z
    .string()
    .refine((text) => eumUnitNamed(text) !== undefined, {
      error: ({ input }) => `must be an identifier of an EUM unit such as eumUmeter, not '${shortened(input)}'`,
    })
    .meta({ description: 'Identifier of the EUM unit.', example: 'eumUmeter' });

/** A member with the identifier of an EUM item. */
export const eumItemText = () =>
  z
    .string()
    .refine((text) => eumItemNamed(text) !== undefined, {
      error: ({ input }) => `must be an identifier of an EUM item such as eumIWaterLevel, not '${shortened(input)}'`,
    })
    .meta({ description: 'Identifier of the EUM item.', example: 'eumIWaterLevel' });
