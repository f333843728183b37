import type { FeatureCollection } from '../../data/feature-collection.ts';
import type { Context, Read } from '../define.ts';
import { copyToFolder, readByGdal } from '../io/gdal/features.ts';
import { isFlat } from '../io/gdal/heights.ts';
import type { readParameters } from './parameters.ts';
import { reportSeveralGeometries } from './several-geometries.ts';

export const read: Read<typeof readParameters> = async (source, { SRID, Layer }, context) => {
  const path = await copyToFolder(source, 'features.gml', context);
  const features = await readByGdal({ path, driver: 'GML' }, { layer: Layer, srid: SRID }, context);
  await reportSeveralGeometries(source, context);
  return features.hasZ ? withRemarks(features, context) : features;
};

const withRemarks = (features: FeatureCollection, { remark }: Context): FeatureCollection => ({
  ...features,
  async *chunks() {
    for await (const chunk of features.chunks()) {
      for (const { geometry } of chunk)
        if (geometry !== undefined && isFlat(geometry))
          remark('All heights of a feature are 0, which GDAL also gives to features without heights.');
      yield chunk;
    }
  },
});
