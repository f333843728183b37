import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { FormatError } from '../../src/files/errors.ts';
import { kindOfCode } from '../../src/files/geo/crs/codes.ts';
import {
  crsFromProj,
  crsFromWkt,
  crsText,
  describeCrs,
  kindOf,
  parseSrid,
  sameCrs,
  sridOf,
} from '../../src/files/geo/crs/crs.ts';
import { parseWkt } from '../../src/files/geo/crs/wkt.ts';
import { gdal, projDatabase } from '../../src/files/geo/wasm.ts';

const utm32Esri =
  'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],' +
  'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],' +
  'PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]';

test('an SRID is a number or a text, with or without the prefix EPSG or ESRI', (t) => {
  t.deepEqual(parseSrid(25832), { authority: 'EPSG', code: 25832 });
  t.deepEqual(parseSrid(' 25832 '), { authority: 'EPSG', code: 25832 });
  t.deepEqual(parseSrid('epsg:4326'), { authority: 'EPSG', code: 4326 });
  t.deepEqual(parseSrid('ESRI:54030'), { authority: 'ESRI', code: 54030 });
  t.deepEqual(parseSrid(102100), { authority: 'ESRI', code: 102100 });
});

test('the error for an unknown SRID contains its value', (t) => {
  t.throws(() => parseSrid(99999), { message: 'The coordinate system EPSG:99999 is not known.' });
  t.deepEqual(parseSrid('EPSG:102100'), { authority: 'ESRI', code: 102100 });
  t.throws(() => parseSrid('EPSG:999999'), { message: 'The coordinate system EPSG:999999 is not known.' });
  t.throws(() => parseSrid('ESRI:25832'), { message: 'The coordinate system ESRI:25832 is not known.' });
  for (const wrong of ['', 'UTM', '-1', '1e3', '25832; drop', '0x10', '25832.5', '9'.repeat(400)]) {
    t.throws(() => parseSrid(wrong), { message: /is not an SRID\. Write for example 25832 or EPSG:25832\.$/ }, wrong);
  }
});

test('the kind of a CRS code is known without PROJ, and agrees with PROJ’s database', async (t) => {
  t.is(kindOf(parseSrid(4326)), 'geographic');
  t.is(kindOf(parseSrid(25832)), 'projected');
  t.is(kindOf(parseSrid(7415)), 'compound');
  const kinds: Record<string, string> = { 'geographic 2D': 'geographic', 'geographic 3D': 'geographic3D' };
  const rows = projDatabase(
    await gdal(),
    "select auth_name as authority, code, type from crs_view where auth_name in ('EPSG', 'ESRI')",
  );
  t.true(rows.length > 10_000);
  const wrong = rows.filter(
    ({ authority, code, type }) =>
      kindOfCode(authority as 'EPSG' | 'ESRI', Number(code)) !== (kinds[String(type)] ?? type),
  );
  t.deepEqual(wrong, []);
  let known = 0;
  const highest = Math.max(...rows.map(({ code }) => Number(code)));
  for (let code = 0; code < highest + 1000; code++) {
    for (const authority of ['EPSG', 'ESRI'] as const) if (kindOfCode(authority, code) !== undefined) known++;
  }
  t.is(known, rows.length);
});

test('PROJ returns name, unit, kind and area of use of a code', async (t) => {
  const { name, unit, geographic, area } = await describeCrs({ authority: 'EPSG', code: 2263 });
  t.is(name, 'NAD83 / New York Long Island (ftUS)');
  t.is(unit.name, 'US survey foot');
  t.true(Math.abs(unit.factor - 0.304800609601219) < 1e-14);
  t.false(geographic);
  t.deepEqual(area, { west: -74.26, south: 40.47, east: -71.8, north: 41.3 });
  t.true((await describeCrs({ authority: 'EPSG', code: 4258 })).geographic);
  t.is((await describeCrs({ authority: 'EPSG', code: 7415 })).unit.factor, 1);
});

test('WKT of any dialect is identified as its original code', async (t) => {
  const codes = [
    27700, 28992, 25832, 5514, 31467, 3857, 4326, 4258, 2263, 3035, 2056, 21781, 3067, 32633, 3031, 2154, 26918,
  ];
  for (const code of codes) {
    for (const dialect of ['WKT1_GDAL', 'WKT1_ESRI', 'WKT2_2019'] as const) {
      const text = await crsText({ authority: 'EPSG', code }, dialect);
      t.is(sridOf(await crsFromWkt(text)), `EPSG:${code}`, `${dialect} ${code}`);
    }
  }
});

test('ETRS_1989_UTM_Zone_32N is EPSG:25832, but only when it is equal to it', async (t) => {
  t.is(sridOf(await crsFromWkt(utm32Esri)), 'EPSG:25832');
  t.is(sridOf(await crsFromWkt(utm32Esri.replace('500000.0', '500000.5'))), undefined);
  t.is(sridOf(await crsFromWkt(utm32Esri.replace('298.257222101', '299.0'))), undefined);
});

test('a wrong code in WKT is ignored', async (t) => {
  const honest = await crsText({ authority: 'EPSG', code: 25832 }, 'WKT1_GDAL');
  t.regex(honest, /AUTHORITY\["EPSG","25832"\]\]$/);
  const lie = await crsFromWkt(honest.replace('"false_easting",500000', '"false_easting",600000'));
  t.is(lie.code, undefined);
  t.false(await sameCrs(lie, { authority: 'EPSG', code: 25832 }));
});

test('coordinate systems are compared by code or definition, not by name', async (t) => {
  const utm = { authority: 'EPSG', code: 25832 } as const;
  t.true(await sameCrs(utm, { wkt: utm32Esri }));
  t.false(await sameCrs(utm, { authority: 'EPSG', code: 32632 }));
  t.false(await sameCrs(utm, { authority: 'EPSG', code: 25833 }));
  const shifted = utm32Esri.replace('500000.0', '500000.5');
  t.true(await sameCrs({ wkt: shifted }, { wkt: shifted.replace('ETRS_1989_UTM_Zone_32N', 'Ours') }));
  t.false(await sameCrs({ wkt: shifted }, { wkt: shifted.replace('500000.5', '500000.6') }));
});

test('the old lines of an ArcInfo .prj and PROJ strings are read', async (t) => {
  const old = await crsFromWkt(
    'Projection UTM\r\nZone 32\r\nDatum WGS84\r\nSpheroid WGS84\r\nUnits METERS\r\nParameters\r\n',
  );
  t.is(old.kind, 'projected');
  t.regex(old.wkt, /"Longitude of natural origin",9,/);
  const utm = await crsFromProj('+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs');
  t.is(utm.kind, 'projected');
  t.regex(utm.wkt, /"Longitude of natural origin",15,/);
  await t.throwsAsync(crsFromProj('+proj=utm +zone=33 +nadgrids=/etc/passwd'), { instanceOf: FormatError });
  await t.throwsAsync(crsFromProj('+init=epsg:25832'), { instanceOf: FormatError });
});

test('malicious CRS texts end with an error, and open no file', async (t) => {
  const hostile = [
    '',
    '\0',
    '/etc/passwd',
    'http://127.0.0.1/x',
    'EPSG:25832',
    'ESRI::/etc/passwd',
    'PROJCS',
    'PROJCS[',
    'PROJCS["a"',
    'PROJCS["a",]',
    'GEOGCS["x",DATUM["y",SPHEROID["z",0,0]],PRIMEM["g",0],UNIT["d",0]]',
    'GEOGCS["x"]',
    'PROJCRS[1,2,3]',
    'A['.repeat(50_000),
    'PROJCS["a",'.repeat(5_000),
    `GEOGCS["${'x'.repeat(200_000)}"]`,
    'PROJCS["a",GEOGCS["b",DATUM["c",SPHEROID["d",1e308,1e-308]],PRIMEM["e",1e999],UNIT["f",-1]],PROJECTION["g"],UNIT["h",0]]',
  ];
  for (const text of hostile) {
    const error = await t.throwsAsync(crsFromWkt(text), { instanceOf: FormatError }, JSON.stringify(text.slice(0, 60)));
    t.true((error?.message.length ?? 0) < 700, 'the sentence is short, however long the text');
  }
  t.is(sridOf(await crsFromWkt(utm32Esri)), 'EPSG:25832', 'and the module goes on working');
});

test('WKT is parsed with doubled quotes, round brackets, white space and all number formats', (t) => {
  t.deepEqual(parseWkt(' local_cs ( "say ""x""" ,\n UNIT["m",+1.e0], AXIS["E",EAST] ,-.5E-3)\0'), {
    keyword: 'LOCAL_CS',
    values: ['say "x"', { keyword: 'UNIT', values: ['m', 1] }, { keyword: 'AXIS', values: ['E', 'EAST'] }, -0.0005],
  });
});

const program = `
  import { crsText } from ${JSON.stringify(fileURLToPath(new URL('../../src/files/geo/crs/crs.ts', import.meta.url)))};
  const text = await crsText({ authority: 'EPSG', code: 25832 }, 'WKT1_ESRI');
  if (!text.startsWith('PROJCS["ETRS_1989_UTM_Zone_32N"')) throw new Error(text);
`;

test('PROJ loads in any working directory, in a child process and in a thread, and prints nothing', async (t) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: '/',
  });
  t.is(stdout + stderr, '');
  const worker = new Worker(program, { eval: true, execArgv: ['--input-type=module'] });
  const code = await new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject));
  t.is(code, 0);
});

test('the built-in definition of WGS 84 agrees with PROJ', async (t) => {
  const known = await describeCrs(parseSrid(4326));
  const { name, kind, geographic, unit, area, wkt } = await crsFromWkt(known.wkt);
  t.deepEqual({ name, kind, geographic, unit, area, wkt, authority: 'EPSG', code: 4326 } as unknown, known);
});

test('a bound system has the name of the one that it binds', async (t) => {
  const bound =
    'PROJCS["own",GEOGCS["own",DATUM["own",SPHEROID["Bessel 1841",6377397.155,299.1528128],TOWGS84[598,73,418,0.2,0.04,-2.4,6.7]],' +
    'PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["central_meridian",9],UNIT["metre",1]]';
  const { name, wkt } = await describeCrs(await crsFromWkt(bound));
  t.regex(wkt, /^BOUNDCRS/);
  t.is(name, 'own');
});

test('a WKT is compared with the registry only once', async (t) => {
  const wkt =
    'GEOGCS["Bessel",DATUM["D_Bessel",SPHEROID["Bessel_1841",6377397.155,299.1528128]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]';
  const [first, again] = [await crsFromWkt(wkt), await crsFromWkt(wkt)];
  t.is(first, again);
  t.is(await describeCrs({ wkt }), first);
});
