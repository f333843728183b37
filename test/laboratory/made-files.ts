import { grib2 } from '../formats/grib/grib-bytes.ts';
import { rasFile } from '../formats/hecras/ras-file.ts';
import { classicFile } from '../formats/netcdf/netcdf-files.ts';
import { selafinBytes } from '../formats/selafin/selafin-bytes.ts';
import { zipOf } from '../formats/shapefiles.ts';
import { rowsOf, styled, workbookOf } from '../formats/xlsx/workbooks.ts';
import { PROPERTIES, type Property } from './properties.ts';

/** A file made without the product's writers. */
export interface MadeFile {
  readonly content: string | Uint8Array;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Properties that the file has, whatever the reader finds. */
  readonly declared: readonly Property[];
  /** The only property that the file is about; absent: all that it has. */
  readonly about?: Property;
}

const waypoint = (n: number, more: string) =>
  `<wpt lat="${52.5 + n / 7}" lon="${13.25 + n / 9}"><ele>${34.5 + n}</ele><time>2024-02-29T12:00:00Z</time>${more}</wpt>`;
const gpx = `<?xml version="1.0"?><gpx version="1.1" creator="made" xmlns="http://www.topografix.com/GPX/1/1">${waypoint(3, '<name>Pegel ü</name>')}${waypoint(1, '')}${waypoint(2, '<name>b</name><sat>0</sat>')}</gpx>`;

const pos = (n: number) => `${500_000 + n + 1 / 7} ${5_800_000 + n + 1 / 3} ${n + 0.5}`;
const in3 = 'srsName="urn:ogc:def:crs:EPSG::25832" srsDimension="3"';
const gmlShapes = [
  `<gml:Point ${in3}><gml:pos>${pos(3)}</gml:pos></gml:Point>`,
  `<gml:LineString ${in3}><gml:posList>${pos(1)} ${pos(11)}</gml:posList></gml:LineString>`,
  `<gml:Point ${in3}><gml:pos>${pos(2)}</gml:pos></gml:Point>`,
];
const gmlMember = (shape: string, n: number) =>
  `<ogr:featureMember><ogr:well gml:id="well.${7 - n}"><ogr:geom>${shape}</ogr:geom><ogr:nr>${[3, 1, 2][n]}</ogr:nr><ogr:depth>${n + 1 / 3}</ogr:depth>${n === 1 ? '' : `<ogr:Länge>w${n}</ogr:Länge>`}<ogr:at>2024-02-29T12:00:00+02:00</ogr:at></ogr:well></ogr:featureMember>`;
const gml = `<?xml version="1.0" encoding="utf-8"?><ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml/3.2">${gmlShapes.map(gmlMember).join('')}</ogr:FeatureCollection>`;

const dxfPoint = (x: number, y: number, z: number) => `0\nPOINT\n8\nBrücken\n10\n${x}\n20\n${y}\n30\n${z}\n`;
const dxfLine = '0\nLINE\n8\nrivers\n10\n0\n20\n0\n30\n1.5\n11\n300\n21\n400\n31\n2.5\n';
const dxf = `0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1021\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n${dxfPoint(100 + 1 / 7, 2.5, 7)}${dxfLine}${dxfPoint(20, 3, 8)}0\nENDSEC\n0\nEOF\n`;

const mif = `Version 300
Charset "WindowsLatin1"
Delimiter ","
CoordSys Earth Projection 8, 104, "m", 9, 0, 0.9996, 500000, 0
Columns 5
  nr Integer
  Größe Char(20)
  depth Float
  dug Date
  at DateTime
Data

Point 500000.142857142 5800000.25
    Symbol (35,0,12)
Region 1
  4
500000 5800000
500010 5800000
500010 5800010
500000 5800000
    Pen (1,2,0)
NONE
`;
const mid =
  '3,"Brücke",0.3333333333333333,20240229,20240229120000000\n1,"",0,,\n2,"b",1.5,20231231,20231231235959000\n';
const mapInfo = () =>
  zipOf([
    { name: 'wells.mif', bytes: Buffer.from(mif, 'latin1') },
    { name: 'wells.mid', bytes: Buffer.from(mid, 'latin1') },
  ]);

const selafin = (more: object) =>
  selafinBytes({
    variables: ['BOTTOM          M', 'WATER DEPTH     M', 'VELOCITY U      M/S'].map((name) => name.slice(0, 32)),
    x: [500_000 + 1 / 7, 500_100, 500_000, 500_100],
    y: [5_800_000, 5_800_000, 5_800_100, 5_800_100 + 1 / 3],
    elements: [
      [1, 2, 3],
      [2, 4, 3],
    ],
    double: true,
    date: [2024, 2, 28, 23, 30, 0],
    steps: [0, 3600.5, 90_000].map((time) => ({
      time,
      values: [0, 1, 2].map((item) => [1, 2, 3, 4].map((node) => item + node / 3 + (item > 0 ? time : 0))),
    })),
    ...more,
  });

const hecRas = () =>
  rasFile({
    areas: [
      {
        name: 'Fläche 1',
        points: [
          [500_000, 5_800_000],
          [500_100, 5_800_000],
          [500_200, 5_800_000],
          [500_000, 5_800_100],
          [500_100, 5_800_100 + 1 / 3],
          [500_200, 5_800_100],
        ],
        cells: [
          [0, 1, 4, 3],
          [1, 2, 5, 4],
        ],
        beds: [1.5, 2.25],
        results: {
          'Water Surface': [
            [1.5, 3],
            [2, 4],
            [3, 5],
          ],
        },
      },
    ],
    times: {
      values: [0, 0.0417, 1],
      unit: 'days',
      stamps: ['28FEB2024 23:30:00', '29FEB2024 00:30:00', '29FEB2024 23:30:00'],
    },
  });

/** A grid over time by CF, with these attributes of its time. */
const cfGrid = (time: Readonly<Record<string, string>>) =>
  classicFile({
    dimensions: { time: 3, y: 2, x: 3 },
    variables: {
      time: { type: 'double', dimensions: ['time'], attributes: { standard_name: 'time', ...time }, values: [0, 1, 2] },
      y: {
        type: 'double',
        dimensions: ['y'],
        attributes: { standard_name: 'projection_y_coordinate' },
        values: [50, 150],
      },
      x: {
        type: 'double',
        dimensions: ['x'],
        attributes: { standard_name: 'projection_x_coordinate' },
        values: [50, 150, 250],
      },
      depth: {
        type: 'float',
        dimensions: ['time', 'y', 'x'],
        attributes: { units: 'm' },
        values: Array.from({ length: 18 }, (_, n) => n + 1),
      },
    },
  });

const zonedCsv =
  'time,Level [m]\n2024-03-31T01:30:00+02:00,1\n2024-03-31T02:30:00+02:00,2\n2024-03-31T03:30:00+02:00,3\n';

const xlsx = () =>
  workbookOf({
    styles: [0, 22],
    sheets: [
      {
        name: 'Brunnen',
        content: rowsOf(
          ['nr', 'Größe', 'depth', 'at', 'x', 'y'],
          [3, 'Brücke', 0.1 + 0.2, styled(45351.5, 1), 500_000 + 1 / 7, 5_800_000.25],
          [1, undefined, undefined, undefined, 500_001, 5_800_001],
          [2, 'b', 1.5, styled(45352, 1), 500_002, 5_800_002],
        ),
      },
    ],
  });

/** Temperature at six-hourly steps, and rain accumulated between them; a cell has no value. */
const grib = () =>
  Buffer.concat(
    [0, 6, 12].flatMap((step) => {
      const values = [1, 2, null, 4, 5, 6].map((value) => value && value + step);
      const grid = { columns: 3, rows: 2, first: [8, 55], last: [10, 54] } as const;
      const rain = { parameter: [1, 8], grid, step, interval: { end: step + 6, process: 1 }, values } as const;
      return [grib2({ parameter: [0, 0], level: [103, 2], grid, step, values }), grib2(rain)];
    }),
  );

/** By reader: files of formats without a writer, and what only other programs write. */
export const madeFiles: Readonly<Record<string, () => MadeFile[] | Promise<MadeFile[]>>> = {
  FileReader: () => [{ content: 'any bytes', declared: PROPERTIES }],
  GpxReader: () => [{ content: gpx, declared: ['crs', 'timeZone', 'precision', 'order', 'names', 'null'] }],
  GmlReader: () => [
    {
      content: gml,
      declared: ['crs', 'timeZone', 'precision', 'order', 'names', 'dimensions', 'null', 'mixedGeometry'],
    },
  ],
  DxfReader: () => [
    {
      content: dxf,
      parameters: { SRID: 25832 },
      declared: ['crs', 'precision', 'order', 'dimensions', 'mixedGeometry'],
    },
  ],
  MapInfoReader: () => [
    { content: mapInfo(), declared: ['crs', 'precision', 'order', 'names', 'null', 'mixedGeometry'] },
  ],
  SelafinReader: () => [
    { content: selafin({}), parameters: { SRID: 25832 }, declared: ['calendar', 'unit', 'precision', 'dimensions'] },
    { content: selafin({ date: undefined }), declared: ['calendar'], about: 'calendar' },
  ],
  HecRasReader: async () => [
    { content: await hecRas(), parameters: { SRID: 25832 }, declared: ['calendar', 'unit', 'names', 'dimensions'] },
  ],
  NetCdfReader: () => [
    {
      content: cfGrid({ units: 'days since 2024-02-27', calendar: 'noleap' }),
      declared: ['calendar'],
      about: 'calendar',
    },
    { content: cfGrid({ units: 'hours since 2024-02-28 23:00 +02:00' }), declared: ['timeZone'], about: 'timeZone' },
  ],
  XlsxReader: () => [
    { content: xlsx(), parameters: { SRID: 25832 }, declared: ['crs', 'precision', 'order', 'names', 'null'] },
  ],
  GribReader: () => [{ content: grib(), declared: ['crs', 'calendar', 'unit', 'nodata', 'kindOfValue', 'names'] }],
  CsvReader: () => [{ content: zonedCsv, declared: ['timeZone'], about: 'timeZone' }],
};
