/*
 * The commands that inspect, draw and convert local files, and what other commands with files share with them.
 */

export { convertCommand, drawCommand, inspectCommand, referencesOptions } from './command/commands.ts';
export {
  conversionMembers,
  converterFor,
  type DataOptions,
  dataOptions,
  named,
  type Parametrised,
  readerFor,
} from './command/converters.ts';
export { expandFiles } from './command/expand.ts';
export { isAddress, measureSize, type Recognised, recognise } from './command/input.ts';
export type { InspectElsewhere } from './command/inspect.ts';
export { localOutput, needsName, STDIO } from './command/output.ts';
export { listSentences } from './command/receipt.ts';
export { type ReferencesOptions, writeDocument, writeReferences } from './command/references.ts';
export { mainFile, zipWithCompanions } from './command/shapefile-zip.ts';
export { isJoined, joinOptions } from './command/transformations.ts';
export { formatOfName } from './formats/detect.ts';
