-- Vector tiles that were drawn ahead can hold polygons with rings that touch themselves or each other. They are drawn anew;
-- until then such tiles are drawn when they are asked for.
with removed as (delete from vector_overviews where archive is not null returning dataset_id)
select enqueue_vector_overview(id, storage_size) from datasets join removed on dataset_id = id where blob is not null;
