import { sql } from '../../../db.ts';
import { lockTables, sqlRule, uuids } from '../sql-rule.queries.ts';

const deleted = sql.fragment`
  deleted as (
    select p.id, 'Project' as item_type, p.tenant_id, p.parent_id as container_id, p.member_source_id as own_source_id,
      a.member_source_id as container_source_id, p.deleted_at
    from projects p left join projects a on a.id = p.parent_id where p.deleted_at is not null
    union all
    select d.id, 'Dataset', p.tenant_id, p.id, null, p.member_source_id, d.deleted_at
    from datasets d join projects p on p.id = d.project_id where d.deleted_at is not null)`;

/** The recycle bin lists the projects and datasets that were deleted themselves. */
export const recycleBin = sqlRule(
  'recycle-bin',
  sql.fragment`
    with ${deleted}
    select coalesce(b.id, d.id) as id,
      case when b.id is null then 'The recycle bin does not list the deleted ' || lower(d.item_type) || '.'
        when d.id is null then 'The recycle bin lists ''' || b.name || ''', which is not deleted.'
        else 'The recycle bin has another place, time or members of ''' || b.name || ''' than the ' || lower(d.item_type) || ' itself.'
      end as message
    from deleted d full join recycle_bin b on b.id = d.id
    where b.id is null or d.id is null
      or (b.item_type, b.tenant_id, b.container_id, b.own_source_id, b.container_source_id, b.deleted_at)
        is distinct from (d.item_type, d.tenant_id, d.container_id, d.own_source_id, d.container_source_id, d.deleted_at)`,
  async (tx, ids) => {
    await lockTables(tx, ['projects', 'datasets', 'recycle_bin']);
    await tx.query(sql.unsafe`
      with ${deleted}
      delete from recycle_bin b where b.id = any(${uuids(ids)}) and not exists (select from deleted d where d.id = b.id)`);
    await tx.query(sql.unsafe`
      with ${deleted}
      update recycle_bin b set item_type = d.item_type, tenant_id = d.tenant_id, container_id = d.container_id,
        own_source_id = d.own_source_id, container_source_id = d.container_source_id, deleted_at = d.deleted_at
      from deleted d where d.id = b.id and b.id = any(${uuids(ids)})`);
    // size and number as they are now, as `bin_project` counts them
    await tx.query(sql.unsafe`
      with ${deleted}
      insert into recycle_bin (id, item_type, tenant_id, container_id, own_source_id, container_source_id, name, storage_size, weight,
        deleted_at, deleted_by)
      select d.id, d.item_type, d.tenant_id, d.container_id, d.own_source_id, d.container_source_id, coalesce(p.name, s.name),
        coalesce(s.storage_size, held.bytes), coalesce(held.weight, 1), d.deleted_at, coalesce(p.deleted_by, s.deleted_by)
      from deleted d left join projects p on p.id = d.id left join datasets s on s.id = d.id
      left join lateral (
        select coalesce(sum(c.storage_size) filter (where c.deleted_at is null), 0)::bigint as bytes,
          (count(distinct b.id) + count(c.id))::bigint as weight
        from projects b left join datasets c on c.project_id = b.id where b.path @> array[p.id]) held on p.id is not null
      where d.id = any(${uuids(ids)})
      on conflict (id) do nothing`);
  },
);
