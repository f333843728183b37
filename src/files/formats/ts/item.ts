import { eumItemNamed, eumUnitNamed, symbolOf } from '../../data/eum/eum.ts';
import { type Item, VALUE_KINDS } from '../../data/item.ts';
import { usualDeleteValues } from '../io/dfs/header.ts';
import { SERIES_TYPES, type SeriesDefinition } from './definition.ts';

/** NaN: the series has no row at that time. `nodata`: it has a row without a value. */
export function itemOf({ item }: Pick<SeriesDefinition, 'item'>): Item & { type: 'Float32' | 'Float64' } {
  const type = item.dataType === 'Single' || item.dataType === 'Int16' ? 'Float32' : 'Float64';
  const [quantity, unit] = [eumItemNamed(item.item), eumUnitNamed(item.unit)];
  const eum = quantity && unit && { item: quantity.code, unit: unit.code };
  const kind = item.timeSeriesType === undefined ? 0 : SERIES_TYPES.indexOf(item.timeSeriesType);
  return {
    name: item.name,
    type,
    ...(eum === undefined ? {} : { eum, ...symbolOf(eum) }),
    ...(kind <= 0 ? {} : { valueKind: VALUE_KINDS[kind]! }),
    nodata: item.noDataValue ?? usualDeleteValues[type],
  };
}
