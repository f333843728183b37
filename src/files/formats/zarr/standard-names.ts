import type { EumQuantity } from '../../data/item.ts';

/** Standard names of CF for quantities of EUM that mean the same in any use. */
const names: Readonly<Record<number, string>> = {
  100000: 'water_surface_height_above_reference_datum',
  100003: 'wind_from_direction',
  100023: 'relative_humidity',
  100024: 'sea_water_practical_salinity',
  100097: 'sea_surface_wave_significant_height',
  100274: 'wind_speed',
  100409: 'air_pressure',
};

export const standardName = ({ item }: Pick<EumQuantity, 'item'>): string | undefined => names[item];
