/*
 * hydrofiles: what is in a file, and what can be made of it. Readers, writers and conversion load when they are used.
 */

export type {
  ConversionHooks,
  ConversionRequest,
  ConversionResult,
  ExistingDataset,
  InputFile,
  Receipt,
  SideFile,
} from './convert/conversion.ts';
export { convert } from './convert/convert.ts';
export { copied, IGNORED, onlyCopies } from './convert/copied.ts';
export { type InspectOptions, inspect } from './convert/inspect.ts';
export { inspectStart } from './convert/inspect-start.ts';
export type {
  Extent,
  Inspection,
  ItemInspection,
  StartInspection,
  TimeInspection,
  WriterInspection,
} from './convert/inspection.ts';
export { loadHandler } from './convert/kinds/kinds.ts';
export type { PictureChoice } from './convert/kinds/picture-choice.ts';
export { describeReader, describeWriter, fits, misfit, offeredBy } from './convert/offers.ts';
export {
  type ConvertOptions,
  convertFile,
  inspectFile,
  OpenFile,
  type OpenOptions,
  openFile,
  writeFile,
} from './convert/open-file.ts';
export { joinsFiles } from './convert/steps/join-shapes.ts';
export type { FieldErrors } from './convert/steps/request-members.ts';
export type { SideInput } from './convert/steps/side-input.ts';
export { stepsIn } from './convert/steps/temporal-filter.ts';
export type { Transformation } from './convert/steps/transformation-shapes.ts';
export { inputSrid, parseTransformations, sideInputsOf, transformationNames } from './convert/steps/transformations.ts';
export { ConversionError, FormatError, RequestError } from './errors.ts';
export { type Context, describeParameters, type LogLevel, type Reader, type Writer } from './formats/define.ts';
export { detect } from './formats/detect.ts';
export { nameOfType } from './formats/file-type.ts';
export { checkParameters, completeParameters, type GivenParameters } from './formats/parameters.ts';
export { findReader, findWriter, readers, writers } from './formats/registry.ts';
export { Srid } from './formats/srid.ts';
