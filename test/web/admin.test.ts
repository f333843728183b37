import test from 'ava';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { copyRequest, newProject, upload } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

pages.test('an administrator drains a worker, pauses new work and retries what failed', async (t) => {
  const owner = w.as(await w.account());
  for (const failed of [true, false]) {
    const request = copyRequest(await newProject(owner), await upload(w, owner, Buffer.from('notes')));
    const { id } = (await owner.post('/api/conversion/upload-convert', request)).body;
    if (!failed) continue;
    const change = "status = 'Error', finished_at = now(), error_message = 'Give SRID to the AsciiGridReader.'";
    await w.sql(`update transfers set ${change} where id = $1`, [id]);
  }
  await w.sql(`insert into workers (pool, host, pid, concurrency, memory_mb, cores, version)
    values ('worker-1', 'node-a', 11, 2, 8192, 2, null), ('worker-2', 'node-b', 12, 4, 24576, 4, '0.9.0')`);
  const root = await w.administrator();
  const page = await pages.openAs(root, '/admin/queue');
  await page.see('heading', 'Queue');
  await page.text('Give SRID to the AsciiGridReader.');
  await page.see('table', 'Scheduled jobs');
  await page.text('0.9.0');
  await page.text('(another one than the API)');
  await page.text('The API runs ');
  await expectAccessible(t, page);
  await picture(page, 'queue');

  await page.click('button', 'Drain worker-1');
  await page.see('button', 'Take work again worker-1');
  t.like((await w.as(root).get('/api/admin/drain')).body.drains[0], { scope: 'pool', name: 'worker-1' });
  await page.click('button', 'Take work again worker-1');
  await page.see('button', 'Drain worker-1');

  await page.click('button', 'Pause new work');
  await page.see('dialog', 'Pause new work');
  await expectAccessible(t, page);
  await picture(page, 'queue-pause');
  await page.fill('Reason', 'The store is being moved.');
  await page.key('Enter');
  await page.text('The store is being moved.');
  await picture(page, 'queue-paused');
  await page.click('button', 'Resume new work');
  await page.see('button', 'Pause new work');

  await page.click('button', /^Retry 1:/);
  await page.see('dialog', 'Retry 1 transfer?');
  await page.click('button', 'Retry 1');
  await page.see('button', 'Stop: Give SRID to the AsciiGridReader.');
  t.like((await w.as(root).get('/api/admin/retry')).body.data[0], { perSecond: 1, stopOnFail: true });
  await page.tab.close();
});

pages.test('an administrator makes an account, changes its groups, disables and deletes it', async (t) => {
  const root = await w.administrator();
  await w.as(root).post('/api/usergroups', { name: 'Editors', users: [] });
  const page = await pages.openAs(root, '/admin/accounts');
  await page.see('table', 'Accounts');
  await page.click('button', 'New account');
  await page.fill('Login id', 'ann');
  await page.fill('Name', 'Ann Berg');
  await page.fill('Mail address', 'ann@example.org');
  await page.text('Without one, a mail lets the person choose it.');
  await expectAccessible(t, page);
  await picture(page, 'account-new');
  await page.key('Enter');
  await page.text('A mail goes to ann@example.org.');
  await page.fill(/^Filter/, 'ann@');
  await page.gone('button', `Actions for ${root.id}`);
  await page.click('button', 'Actions for ann');
  await page.click('menuitem', 'Groups');
  await page.click('checkbox', 'Editors');
  await page.click('button', 'Save');
  await page.text('The groups of ann are saved.');
  await page.click('button', 'Actions for ann');
  await page.click('menuitem', 'Edit');
  await page.fill('Name', 'Ann Berg-Hansen');
  const others = {
    name: 'Ann Hansen',
    email: 'ann@example.org',
    roles: 'CreditSpender',
    metadata: { office: 'North' },
  };
  await w.as(root).put('/api/accounts', { id: 'ann', ...others });
  await page.click('button', 'Save');
  await page.see('radio', 'Theirs Ann Hansen');
  await expectAccessible(t, page);
  await picture(page, 'account-conflict');
  await page.click('button', 'Save');
  await page.text('ann is saved.');
  await page.click('button', 'Actions for ann');
  await page.click('menuitem', 'Disable');
  await page.click('button', 'Disable');
  await page.text('ann cannot sign in any more.');
  const kept = { ...others, name: 'Ann Berg-Hansen', userGroups: ['Editors'] };
  t.like((await w.as(root).get('/api/accounts/ann')).body, { ...kept, enabled: false });
  await page.fill(/^Filter/, '');
  await expectAccessible(t, page);
  await picture(page, 'accounts');
  await page.choose('Show', 'disabled');
  t.regex(await page.address(), /#state=disabled$/);
  await page.click('button', 'Actions for ann');
  await page.click('menuitem', 'Delete');
  await page.text('It leaves 1 group, 1 tenant and 0 projects');
  await picture(page, 'account-delete');
  await page.fill('Type ann to confirm', 'ann');
  await page.click('button', 'Delete');
  await page.see('heading', 'No account fits');
  t.is((await w.as(root).get('/api/accounts/ann')).status, 404);
  await page.tab.close();
});

pages.test('an administrator reads the settings', async (t) => {
  const page = await pages.openAs(await w.administrator(), '/admin/settings#q=data&changed=1');
  await page.see('table', 'Settings');
  await page.text('PLATFORM_DATA');
  await expectAccessible(t, page);
  await page.click('checkbox', 'Only what differs from the default');
  await page.fill(/^Filter/, '');
  await page.text('tokens.accessLifetime');
  await picture(page, 'settings');
  await page.tab.close();
});

pages.test(
  'an administrator makes, renames, licenses and deletes a tenant, and finds it in the audit trail',
  async (t) => {
    const root = await w.administrator();
    await w.as(root).post('/api/admin/feature', { name: 'Map viewer', type: 'Application' });
    const page = await pages.openAs(root, '/admin/tenants');
    await page.click('button', 'New tenant');
    await page.fill('Name', 'Water board');
    await page.click('button', 'New tenant');
    await page.click('button', 'Actions for Water board');
    await page.click('menuitem', 'Rename');
    await page.fill('Name', 'Water board East');
    const { data } = (await w.as(root).get('/api/iam/tenant')).body;
    const { id } = data.find((one: { name: string }) => one.name === 'Water board');
    await w.as(root).put(`/api/iam/tenant/${id}`, { name: 'Water board West' });
    await page.click('button', 'Rename');
    await page.see('radio', 'Theirs Water board West');
    await expectAccessible(t, page);
    await picture(page, 'tenant-conflict');
    await page.click('button', 'Rename');
    await page.click('button', 'Actions for Water board East');
    await page.click('menuitem', 'Licences');
    await page.click('checkbox', 'Map viewer');
    await expectAccessible(t, page);
    await picture(page, 'licences');
    await page.click('button', 'Save');
    await page.text('The licences are saved.');
    await expectAccessible(t, page);
    await picture(page, 'tenants');
    await page.click('button', 'Actions for Water board East');
    await page.click('menuitem', 'Delete');
    await page.fill('Type Water board East to confirm', 'Water board East');
    await page.click('button', 'Delete');
    await page.gone('button', 'Actions for Water board East');

    await page.go('/admin/audit');
    await page.text('tenant.delete');
    await expectAccessible(t, page);
    await picture(page, 'audit');
    await page.fill('Login id or user id', 'nobody');
    await page.see('heading', 'No entries');
    t.is(await page.address(), '/admin/audit?account=nobody');
    await page.tab.close();
  },
);

pages.test('an administrator sees who is affected before the networks of a group are saved', async (t) => {
  const root = w.as(await w.administrator());
  await w.account({ id: 'cleo' });
  await root.post('/api/usergroups', { name: 'Staff', users: ['cleo'] });
  const page = await pages.openAs(await w.administrator(), '/admin/groups');
  await page.see('table', 'Groups');
  await expectAccessible(t, page);
  await picture(page, 'groups');
  await page.click('button', 'Actions for Staff');
  await page.click('menuitem', 'Networks and second factor');
  await page.fill('Networks', 'nowhere');
  await page.click('button', 'Preview');
  await page.see('alert', /./);
  await page.fill('Networks', '10.0.0.0/8 The office');
  await page.click('button', 'Preview');
  await page.see('status', /./);
  await page.see('button', 'Save');
  await expectAccessible(t, page);
  await picture(page, 'group-rules');
  // somebody else is faster
  t.is((await root.put('/api/usergroups/Staff/second-factor', { entries: ['CIDR:192.0.2.0/24'] })).status, 204);
  await page.click('button', 'Save');
  await page.see('radio', 'Theirs 192.0.2.0/24');
  await expectAccessible(t, page);
  await picture(page, 'group-rules-conflict');
  await page.click('radio', 'Yours 10.0.0.0/8 The office');
  await page.click('button', 'Preview');
  await page.click('button', 'Save');
  await page.text('The rules of Staff are saved.');
  const { entries } = (await root.get('/api/usergroups/Staff/second-factor')).body;
  t.deepEqual(entries, ['CIDR:10.0.0.0/8&Comment:The office']);
  await page.tab.close();
});

pages.test(
  'an administrator defines a feature, licenses it to a tenant, ends the licence and deletes the feature',
  async (t) => {
    const tenantId = await w.tenant('Harbour office');
    const page = await pages.openAs(await w.administrator(), '/admin/features');
    await page.click('button', 'New feature');
    await page.fill('Name', 'Tide tables');
    await page.choose('Kind', 'Application');
    await page.fill('Address of the application', 'nowhere');
    await page.key('Enter');
    await page.see('dialog', 'New feature');
    await page.fill('Address of the application', 'https://tides.example');
    await expectAccessible(t, page);
    await picture(page, 'feature-new');
    await page.key('Enter');
    await page.text('Tide tables is saved.');
    await page.click('button', 'Tenants: Tide tables');
    await page.see('heading', 'No tenant has Tide tables');
    await page.click('button', 'License');
    await page.fill('Tenant', 'Nobody');
    await page.click('button', 'License');
    await page.see('alert', 'No tenant is called Nobody.');
    await page.fill('Tenant', 'harbour office');
    await page.click('button', 'License');
    await page.see('table', 'Tenants with Tide tables');
    await page.see('button', 'End: Harbour office');
    await expectAccessible(t, page);
    await picture(page, 'features');
    const root = w.as(await w.administrator());
    const licensed = async () => {
      const { body } = await root.get('/api/admin/feature/tenant/list', { 'svc-project-id': tenantId });
      return body.data.map(({ name }: { name: string }) => name);
    };
    t.deepEqual(await licensed(), ['Tide tables']);
    await page.click('button', 'End: Harbour office');
    await picture(page, 'licence-end');
    await page.click('button', 'End');
    await page.see('heading', 'No tenant has Tide tables');
    t.deepEqual(await licensed(), []);
    await page.click('button', 'Actions for Tide tables');
    await page.click('menuitem', 'Delete');
    await page.fill('Type Tide tables to confirm', 'Tide tables');
    await page.click('button', 'Delete');
    await page.gone('button', 'Tenants: Tide tables');
    await page.tab.close();
  },
);

pages.test('an administrator sees the blob store, verifies it and confirms a sweep of unknown blobs', async (t) => {
  const owner = w.as(await w.account());
  await upload(w, owner, Buffer.from('notes'));
  const [{ blob }] = await w.sql<{ blob: string }>('select blob from staged_blobs order by blob limit 1');
  const page = await pages.openAs(await w.administrator(), '/admin/store');
  await page.text('Nothing was verified yet.');
  await page.click('button', 'Verify now');
  await page.fill('Sample', '0');
  await page.click('button', 'Verify now');
  await page.see('alert', /./);
  await page.fill('Sample', '');
  await expectAccessible(t, page);
  await picture(page, 'store-verify');
  await page.click('button', 'Verify now');
  await page.see('progressbar', 'Verification');
  await expectAccessible(t, page);
  await w.sql(`update blob_verification set finished_at = now(), checked = 3, total = 3, bytes = 4096, problems = 1`);
  await w.sql(`insert into damaged_blobs (name, problem) values ($1, 'damaged')`, [blob]);
  await w.sql(`update blob_store set swept_at = now(), all_blobs = 1204, all_bytes = 9e9, unknown_blobs = 310,
    unknown_bytes = 2e9, stopped_at = now(), stopped_because = '310 of 1,204 blobs were never referenced.'`);
  await page.see('table', 'Damaged and missing blobs');
  await page.text('310 of 1,204 blobs were never referenced.');
  await expectAccessible(t, page);
  await picture(page, 'store');
  await page.click('button', 'Delete unknown blobs');
  await page.fill('Type 310 to confirm', '310');
  await picture(page, 'store-confirm');
  await page.click('button', 'Delete unknown blobs');
  await page.text('The next sweep may delete 310.');
  t.is((await w.as(await w.administrator()).get('/api/admin/blob-store')).body.confirmed, 310);
  await page.tab.close();
});

pages.test('an administrator moves credits from the generic pool to a tenant; who sells them adds them', async (t) => {
  const [tenantId, harbour] = [await w.tenant('Coast guard'), await w.tenant('Pilots')];
  const root = await w.administrator();
  const seller = await w.account({ roles: 'BackOffice', userGroups: ['Administrators'] });
  const available = async (id: string) => {
    const { body } = await w.as(root).get(`/api/iam/credit/${id}`);
    return body.data.find(({ status }: { status: string }) => status === 'Available')?.credits ?? 0;
  };
  let page = await pages.openAs(seller, '/admin/tenants');
  await page.click('button', 'Actions for Coast guard');
  await page.click('menuitem', 'Credits');
  await page.choose('What to do', 'add');
  await page.fill('Credits', '100');
  await page.fill('Sales order', 'SO-1');
  await page.fill('Billing reference', 'C-1');
  await page.fill('Expires', '2099-12-31');
  await expectAccessible(t, page);
  await picture(page, 'tenant-credits-add');
  await page.click('button', 'Add');
  await page.text('Coast guard has 100 credits more.');
  t.is(await available(tenantId), 100);
  await page.tab.close();

  page = await pages.openAs(root, '/admin/tenants');
  await page.click('button', 'Actions for Coast guard');
  await page.click('menuitem', 'Credits');
  await page.choose('What to do', 'toPool');
  await page.fill('Credits', '500');
  await page.click('button', 'Move');
  await page.see('alert', /100/);
  await page.fill('Credits', '40');
  await picture(page, 'tenant-credits');
  await page.click('button', 'Move');
  await page.text('Coast guard has 40 credits less.');
  await page.click('button', 'Actions for Pilots');
  await page.click('menuitem', 'Credits');
  await page.choose('What to do', 'fromPool');
  await page.fill('Credits', '25');
  await page.click('button', 'Move');
  await page.text('Pilots has 25 credits more.');
  t.deepEqual([await available(tenantId), await available(harbour)], [60, 25]);
  await page.tab.close();
});

pages.test('who is no administrator reads which right is missing', async (t) => {
  const page = await pages.openAs(await w.account(), '/admin/queue');
  await page.see('heading', 'Only administrators see this');
  await page.gone('link', 'Queue');
  await expectAccessible(t, page);
  await page.tab.close();
});
