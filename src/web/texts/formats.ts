/** Formats and stores by the word of the API, as their makers and readers write them. */
const names: Record<string, string> = {
  asciigrid: 'ASCII Grid',
  csv: 'CSV',
  dfs0: 'DFS0',
  dfs1: 'DFS1',
  dfs2: 'DFS2',
  dfs3: 'DFS3',
  dfsu: 'DFSU',
  dxf: 'DXF',
  file: 'File as it is',
  geojson: 'GeoJSON',
  geopackage: 'GeoPackage',
  geoparquet: 'GeoParquet',
  geotiff: 'GeoTIFF',
  gis: 'Features store',
  gml: 'GML',
  gpx: 'GPX',
  grib: 'GRIB',
  hecras: 'HEC-RAS',
  kml: 'KML',
  mapinfo: 'MapInfo',
  md: 'Values store',
  mbtiles: 'MBTiles',
  mesh: 'Mesh file',
  meshfile: 'Mesh file',
  netcdf: 'NetCDF',
  pmtiles: 'PMTiles',
  selafin: 'SELAFIN',
  shapefile: 'Shapefile',
  tiles: 'Map tiles',
  tiling: 'Map tiles',
  ts: 'Series store',
  vtu: 'VTU',
  xlsx: 'Excel workbook',
  xyz: 'XYZ',
};

/** `geotiff` → `GeoTIFF`; of formats that are not known, such as endings of files, the word itself. */
export const formatName = (format: string): string => names[format.toLowerCase()] ?? format;

/** `GeoTiffWriter` → `GeoTIFF` */
export const converterName = (name: string): string => formatName(name.replace(/(?:Reader|Writer)$/, ''));

/** `itemFilterTransformation` → `item filter` */
export const transformationName = (type: string): string =>
  type
    .replace(/Transformation$/, '')
    .replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();

const kinds: Record<string, string> = {
  multidimensional: 'Multidimensional',
  gisvectordata: 'Features',
  timeseries: 'Time series',
  tiles: 'Map tiles',
};

/** What a dataset is: of a store what it keeps, of a file its format. */
export const kindName = ({
  datasetType = '',
  datasetFormat = '',
}: {
  datasetType?: string | undefined;
  datasetFormat?: string | undefined;
}): string => kinds[datasetType] ?? formatName(datasetFormat);
