-- What a file is where its format does not tell: VTU files of several steps and GeoTIFF files of one step each are a zip.
alter table datasets add column file_extension text;
alter table transfers add column output_media_type text;
