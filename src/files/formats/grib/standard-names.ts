/**
 * Parameters of GRIB 2 (discipline, category, number of table 4.2) with a standard name of CF of the same meaning and
 * unit that has a quantity of EUM.
 */
const names: Readonly<Record<string, string>> = {
  '0 0 0': 'air_temperature',
  '0 1 1': 'relative_humidity',
  '0 2 0': 'wind_from_direction',
  '0 2 1': 'wind_speed',
  '0 3 0': 'air_pressure',
  '0 3 1': 'air_pressure_at_mean_sea_level',
  '0 6 1': 'cloud_area_fraction',
  '0 1 11': 'surface_snow_thickness',
  '10 0 3': 'sea_surface_wave_significant_height',
  '10 2 0': 'sea_ice_area_fraction',
  '10 2 1': 'sea_ice_thickness',
  '10 1 1': 'sea_water_speed',
  '10 1 2': 'eastward_sea_water_velocity',
  '10 1 3': 'northward_sea_water_velocity',
  '10 4 3': 'sea_water_practical_salinity',
};

export const standardNameOf = (discipline: number, category: number, number: number): string | undefined =>
  names[`${discipline} ${category} ${number}`];

/** Parameters of table 2 of GRIB 1 (international numbers below 128). */
const internationalNames: Readonly<Record<number, string>> = {
  1: 'air_pressure',
  2: 'air_pressure_at_mean_sea_level',
  11: 'air_temperature',
  31: 'wind_from_direction',
  32: 'wind_speed',
  52: 'relative_humidity',
  66: 'surface_snow_thickness',
  71: 'cloud_area_fraction',
  91: 'sea_ice_area_fraction',
  92: 'sea_ice_thickness',
  100: 'sea_surface_wave_significant_height',
};

export const internationalName = (number: number): string | undefined => internationalNames[number];
