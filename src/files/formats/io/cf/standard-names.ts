import { eumItem, eumUnit } from '../../../data/eum/eum.ts';
import type { EumQuantity } from '../../../data/item.ts';
import { isConvertible, isSameUnit, parseUnit } from './units.ts';

/**
 * Items of EUM and the standard names of CF that mean the same, with the unit of the name. The first item is read, the
 * first name is written.
 */
const table: readonly (readonly [items: readonly number[], names: string, unit: string])[] = [
  [
    [100000, 100078],
    'sea_surface_height_above_mean_sea_level water_surface_height_above_reference_datum sea_surface_height_above_geoid',
    'm',
  ],
  [[100280], 'sea_floor_depth_below_sea_surface', 'm'],
  [[100180, 110234], 'surface_altitude', 'm'],
  [[100001], 'water_volume_transport_in_river_channel', 'm3 s-1'],
  [[100242], 'sea_water_speed', 'm s-1'],
  [[100243], 'sea_water_velocity_to_direction', 'degree'],
  [[100269], 'eastward_sea_water_velocity', 'm s-1'],
  [[100270], 'northward_sea_water_velocity', 'm s-1'],
  [[100271], 'upward_sea_water_velocity', 'm s-1'],
  [[100274, 100002], 'wind_speed', 'm s-1'],
  [[100003], 'wind_from_direction', 'degree'],
  [[100409], 'air_pressure_at_mean_sea_level surface_air_pressure air_pressure', 'Pa'],
  [[100450], 'sea_water_pressure', 'Pa'],
  [[100006], 'sea_water_temperature air_temperature surface_temperature sea_surface_temperature', 'K'],
  [[100024], 'sea_water_practical_salinity', '1'],
  [[100024], 'sea_water_salinity', '1e-3'],
  [[100023], 'relative_humidity', '1'],
  [[100501], 'cloud_area_fraction', '1'],
  [[100004], 'rainfall_amount', 'kg m-2'],
  [[100004], 'lwe_thickness_of_precipitation_amount', 'm'],
  [[100070], 'rainfall_rate', 'm s-1'],
  [[100088], 'rainfall_flux', 'kg m-2 s-1'],
  [[100431], 'lwe_precipitation_rate', 'm s-1'],
  [[100005], 'lwe_thickness_of_water_evaporation_amount', 'm'],
  [[100387], 'water_evapotranspiration_flux', 'kg m-2 s-1'],
  [[100097], 'sea_surface_wave_significant_height', 'm'],
  [[100407], 'sea_surface_wave_from_direction', 'degree'],
  [[100325], 'surface_snow_thickness', 'm'],
  [[100326], 'surface_snow_area_fraction', '1'],
  [[100206], 'sea_ice_thickness', 'm'],
  [[110020], 'sea_ice_area_fraction', '1'],
  [[100017], 'sea_water_density', 'kg m-3'],
  [[100197], 'specific_turbulent_kinetic_energy_of_sea_water', 'm2 s-2'],
];

const byName = new Map(table.flatMap(([[item], names]) => names.split(' ').map((name) => [name, item!] as const)));
/** The numbers of a salinity are those of the practical scale, whatever its unit is called. */
const saltUnits = ['1e-3', '0.001', '1', 'psu', 'PSU', 'g kg-1', 'g/kg'];
const psu = 6200;

/** The standard name of a quantity whose unit can be converted to that of the name. */
export function standardName({ item, unit }: EumQuantity): string | undefined {
  const own = parseUnit(eumUnit(unit)?.symbol ?? '');
  for (const [items, names, canonical] of table)
    if (items.includes(item) && own !== undefined && isConvertible(own, parseUnit(canonical)!))
      return names.split(' ')[0];
  return undefined;
}

/**
 * The quantity of EUM of a standard name and a unit. Without the unit in EUM's table of the quantity, it is undefined.
 * @returns `known`: whether the name has a quantity
 */
export function quantityOf(name: string | undefined, units: string | undefined): { eum?: EumQuantity; known: boolean } {
  // A modifier, such as `standard_error`, makes another quantity.
  const item = name === undefined ? undefined : byName.get(name);
  if (item === undefined) return { known: false };
  if (name?.endsWith('salinity') && (units === undefined || saltUnits.includes(units)))
    return { eum: { item, unit: psu }, known: true };
  const own = parseUnit(units ?? '1');
  const allowed = eumItem(item)?.units;
  if (own === undefined || allowed === undefined || allowed === 'any') return { known: true };
  const unit = allowed.find((code) => {
    const parsed = parseUnit(eumUnit(code)?.symbol ?? 'unknown');
    return parsed !== undefined && isSameUnit(parsed, own);
  });
  return unit === undefined ? { known: true } : { eum: { item, unit }, known: true };
}
