import type { Capabilities, Layer, TileMatrixSet } from './capabilities.ts';

const NAMESPACES =
  'xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1" xmlns:xlink="http://www.w3.org/1999/xlink"';

export const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    // XML 1.0 has no other control characters.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');

const element = (name: string, content: string | number): string => `<${name}>${escapeXml(String(content))}</${name}>`;

const corners = (
  name: string,
  { lowerCorner, upperCorner, crs }: { lowerCorner: number[]; upperCorner: number[]; crs?: string },
) =>
  `<ows:${name}${crs === undefined ? '' : ` crs="${escapeXml(crs)}"`}>${element('ows:LowerCorner', lowerCorner.join(' '))}${element('ows:UpperCorner', upperCorner.join(' '))}</ows:${name}>`;

/** OGC 07-057r7, in the order of its schema. */
export function capabilitiesXml({
  serviceIdentification: service,
  operationsMetadata,
  contents,
  serviceMetadataUrl,
}: Capabilities): string {
  const operations = operationsMetadata.operations.map(
    ({ name, href, encodings }) =>
      `<ows:Operation name="${name}"><ows:DCP><ows:HTTP><ows:Get xlink:href="${escapeXml(href)}"><ows:Constraint name="GetEncoding"><ows:AllowedValues>${encodings.map((one) => element('ows:Value', one)).join('')}</ows:AllowedValues></ows:Constraint></ows:Get></ows:HTTP></ows:DCP></ows:Operation>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<Capabilities ${NAMESPACES} version="1.0.0">`,
    `<ows:ServiceIdentification>${element('ows:Title', service.title)}${element('ows:ServiceType', service.serviceType)}${element('ows:ServiceTypeVersion', service.serviceTypeVersion)}</ows:ServiceIdentification>`,
    `<ows:OperationsMetadata>${operations.join('')}</ows:OperationsMetadata>`,
    '<Contents>',
    ...contents.layers.map(layerXml),
    ...contents.tileMatrixSets.map(matrixSetXml),
    '</Contents>',
    `<ServiceMetadataURL xlink:href="${escapeXml(serviceMetadataUrl)}"/>`,
    '</Capabilities>',
    '',
  ].join('\n');
}

function layerXml(layer: Layer): string {
  const styles = layer.styles.map(({ identifier, isDefault, legendUrls }) => {
    const legends = legendUrls.map(
      ({ format, href }) => `<LegendURL format="${format}" xlink:href="${escapeXml(href)}"/>`,
    );
    return `<Style isDefault="${isDefault}">${element('ows:Identifier', identifier)}${legends.join('')}</Style>`;
  });
  const dimensions = layer.dimensions.map(
    ({ identifier, uom, default: first, values }) =>
      `<Dimension>${element('ows:Identifier', identifier)}${element('ows:UOM', uom)}${element('Default', first)}${values.map((value) => element('Value', value)).join('')}</Dimension>`,
  );
  const links = layer.tileMatrixSetLinks.map(({ tileMatrixSet, tileMatrixSetLimits }) => {
    const limits = tileMatrixSetLimits.map(
      (one) =>
        `<TileMatrixLimits>${element('TileMatrix', one.tileMatrix)}${element('MinTileRow', one.minTileRow)}${element('MaxTileRow', one.maxTileRow)}${element('MinTileCol', one.minTileCol)}${element('MaxTileCol', one.maxTileCol)}</TileMatrixLimits>`,
    );
    return `<TileMatrixSetLink>${element('TileMatrixSet', tileMatrixSet)}<TileMatrixSetLimits>${limits.join('')}</TileMatrixSetLimits></TileMatrixSetLink>`;
  });
  const resources = layer.resourceUrls.map(
    ({ resourceType, format, template }) =>
      `<ResourceURL format="${format}" resourceType="${resourceType}" template="${escapeXml(template)}"/>`,
  );
  return [
    '<Layer>',
    element('ows:Title', layer.title),
    corners('WGS84BoundingBox', layer.wgs84BoundingBox),
    element('ows:Identifier', layer.identifier),
    corners('BoundingBox', layer.boundingBox),
    ...styles,
    ...layer.formats.map((format) => element('Format', format)),
    ...dimensions,
    ...links,
    ...resources,
    '</Layer>',
  ].join('\n');
}

function matrixSetXml({ identifier, supportedCrs, wellKnownScaleSet, tileMatrices }: TileMatrixSet): string {
  const matrices = tileMatrices.map((matrix) =>
    [
      '<TileMatrix>',
      element('ows:Identifier', matrix.identifier),
      element('ScaleDenominator', matrix.scaleDenominator),
      element('TopLeftCorner', matrix.topLeftCorner.join(' ')),
      element('TileWidth', matrix.tileWidth),
      element('TileHeight', matrix.tileHeight),
      element('MatrixWidth', matrix.matrixWidth),
      element('MatrixHeight', matrix.matrixHeight),
      '</TileMatrix>',
    ].join(''),
  );
  return [
    '<TileMatrixSet>',
    element('ows:Identifier', identifier),
    element('ows:SupportedCRS', supportedCrs),
    ...(wellKnownScaleSet === undefined ? [] : [element('WellKnownScaleSet', wellKnownScaleSet)]),
    ...matrices,
    '</TileMatrixSet>',
  ].join('\n');
}

/** The answer to a wrong request of a client that asks for XML. */
export const exceptionXml = (code: string, text: string): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" version="1.1.0" xml:lang="en">',
    `<ows:Exception exceptionCode="${escapeXml(code)}">${element('ows:ExceptionText', text)}</ows:Exception>`,
    '</ows:ExceptionReport>',
    '',
  ].join('\n');
