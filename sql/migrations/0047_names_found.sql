-- Projects and datasets are found by their names, wherever they lie.

create index projects_named on projects (tenant_id, name collate "C");
create index datasets_named on datasets (name collate "C", project_id);
