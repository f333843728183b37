import test from 'ava';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { openReceiver, type Receiver } from '../world/receiver.ts';
import { ownWorld } from '../world.ts';

const settings = { 'outbound.allow': '' };
let receiver: Receiver;
// before the world, which reads the settings
test.serial.before('a receiver of webhooks', async () => {
  receiver = await openReceiver();
  settings['outbound.allow'] = receiver.place;
});
test.after.always('the end of the receiver', () => receiver?.close());
const w = ownWorld(test, settings);
const pages = consoleTests(test, w);

const newOwner = async () => w.account({ tenantId: await w.tenant('River authority'), role: 'Owner' });

pages.test('an Owner makes an API key, which is shown once, and revokes it', async (t) => {
  const owner = await newOwner();
  const page = await pages.openAs(owner, '/tenant/keys');
  await page.see('heading', 'No API keys');
  await expectAccessible(t, page);
  await picture(page, 'keys-empty');
  await page.click('button', 'New key');
  await page.fill('Name', 'Nightly import');
  await page.choose('Role', 'Contributor');
  await page.fill('Networks', 'nowhere');
  await picture(page, 'key-new');
  await page.click('button', 'New key');
  await page.see('alert', /nowhere/);
  await page.fill('Networks', '127.0.0.0/8\n203.0.113.0/24');
  await page.click('button', 'New key');
  await page.text('It is shown this once only.');
  await expectAccessible(t, page);
  await picture(page, 'key-secret');
  const key = await page.tab.evaluate<string>("document.querySelector('dialog pre').textContent");
  const headers = { 'svc-open-api-key': key };
  t.is((await w.nobody.get('/api/metadata/project/list', headers)).status, 200);
  await page.click('button', 'Done');
  await page.see('table', 'API keys');
  await expectAccessible(t, page);
  await picture(page, 'keys');
  await page.click('button', 'Revoke Nightly import');
  await page.click('button', 'Revoke');
  await page.see('heading', 'No API keys');
  t.is((await w.nobody.get('/api/metadata/project/list', headers)).status, 401);
  await page.tab.close();
});

pages.test('an Owner sees balance, lots, forecast and ledger of credits, and new credits at once', async (t) => {
  const owner = await newOwner();
  const page = await pages.openAs(owner, '/tenant/credits');
  await page.see('heading', 'No credits are available');
  await expectAccessible(t, page);
  const seller = w.as(await w.account({ roles: 'BackOffice' }));
  const billingReference = {
    billingReference: 'C-1042',
    billingReferenceTag: 'Framework',
    billingReferenceType: 'EXT',
  };
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  for (const days of [90, 365]) {
    const lot = { credits: 300, salesOrderId: `SO-${days}`, expiresAt: inDays(days), tenantId: owner.tenantId };
    t.is((await seller.post('/api/iam/credit', { ...lot, billingReference })).status, 200);
  }
  await page.text('SO-365');
  const { id: projectId } = (await w.as(owner).post('/api/metadata/project', { name: 'Upper valley' })).body;
  const spent = { credits: 60, tenantId: owner.tenantId, projectId, operationId: 'run-4711' };
  t.is((await w.as(owner).put('/api/iam/credit/reserve', spent)).status, 200);
  t.is((await w.as(owner).put('/api/iam/credit/spend', { ...spent, credits: 45 })).status, 200);
  await page.text('Upper valley');
  await page.text('a day, mean of the last 30 days');
  await expectAccessible(t, page);
  await picture(page, 'credits');
  await page.tab.close();
});

pages.test('an Owner adds, changes and removes members', async (t) => {
  const owner = await newOwner();
  const ben = await w.account({ tenantId: owner.tenantId });
  const eva = await w.account();
  const page = await pages.openAs(owner, '/tenant/members');
  await page.see('table', 'Members');
  await page.click('button', 'Add a member');
  await page.fill('Login id or user id', eva.id);
  await page.click('button', 'Add a member');
  await page.see('alert', new RegExp(`login id '${eva.id}'`));
  await expectAccessible(t, page);
  await picture(page, 'member-add');
  await page.fill('Login id or user id', eva.userId);
  await page.click('button', 'Add a member');
  await page.text('The member is added.');
  await page.see('heading', 'No guests');
  const gus = await w.account();
  const { body: project } = await w.as(owner).post('/api/metadata/project', { name: 'Valley' });
  await w.as(owner).post(`/api/metadata/project/${project.id}/member`, { userId: gus.userId, role: 'Reader' });
  await page.see('table', 'Guests');
  await page.see('link', 'Valley');
  await expectAccessible(t, page);
  await picture(page, 'members');
  await page.click('button', `Actions for ${gus.id}`);
  await page.click('menuitem', 'End');
  await page.text('1 role in projects ends');
  await page.click('button', 'End');
  await page.see('heading', 'No guests');
  await page.click('button', `Actions for ${ben.id}`);
  await page.click('menuitem', 'Make Owner');
  await page.text(`${ben.id} is Owner now.`);
  await page.click('button', `Actions for ${ben.id}`);
  await page.click('menuitem', 'Remove');
  await page.text('No role in a project goes with it.');
  await page.click('button', 'Remove');
  await page.gone('button', `Actions for ${ben.id}`);
  const { body } = await w.as(owner).get(`/api/iam/tenant/${owner.tenantId}/member`);
  t.deepEqual(body.data.map(({ userId }: { userId: string }) => userId).sort(), [owner.userId, eva.userId].sort());
  await page.tab.close();
});

pages.test('an Owner makes a webhook, tests it and reads its deliveries', async (t) => {
  const owner = await newOwner();
  const page = await pages.openAs(owner, '/tenant/webhooks');
  await page.see('heading', 'No webhooks');
  await page.click('button', 'New webhook');
  await page.fill('Address', receiver.url);
  await page.choose('Events', 'chosen');
  await page.click('checkbox', 'projectcreated');
  await expectAccessible(t, page);
  await picture(page, 'webhook-new');
  await page.click('button', 'New webhook');
  await page.text('It is shown this once only.');
  await picture(page, 'webhook-secret');
  await page.click('button', 'Done');
  await page.click('button', `Test ${receiver.url}`);
  await page.text('The receiver answered 204 in');
  await w.as(owner).post('/api/metadata/project', { name: 'Upper valley' });
  await page.click('button', `Deliveries ${receiver.url}`);
  await page.see('table', 'Deliveries');
  t.regex(await page.address(), /#webhook=/);
  await expectAccessible(t, page);
  await picture(page, 'webhooks');
  await page.click('button', `Delete ${receiver.url}`);
  await page.click('button', 'Delete');
  await page.see('heading', 'No webhooks');
  await page.tab.close();
});

pages.test('an Owner disables a licensed feature', async (t) => {
  const owner = await newOwner();
  const root = w.as(await w.administrator());
  const { featureId } = (await root.post('/api/admin/feature', { name: 'Map viewer', type: 'Application' })).body;
  await root.put(`/api/admin/feature/${featureId}/tenant/${owner.tenantId}/license`);
  const page = await pages.openAs(owner, '/tenant/features');
  await page.click('button', 'Disable Map viewer');
  await page.see('button', 'Enable Map viewer');
  await expectAccessible(t, page);
  await picture(page, 'features');
  // another Owner enables it, and has second thoughts
  for (const enabled of [true, false])
    await w.as(owner).patch(`/api/admin/feature/${featureId}/tenant/${owner.tenantId}`, { enabled });
  await page.click('button', 'Enable Map viewer');
  await page.text('Somebody else has switched Map viewer meanwhile: it is disabled now.');
  await page.click('button', 'Enable Map viewer');
  await page.see('button', 'Disable Map viewer');
  await page.tab.close();
});

pages.test('a Member of the tenant reads which right is missing', async (t) => {
  const page = await pages.openAs(await w.account(), '/tenant/keys');
  await page.see('heading', 'Only Owners of the tenant see this');
  await page.text('to make you an Owner, under Members.');
  await expectAccessible(t, page);
  await page.tab.close();
});

pages.test('an Owner reads the audit trail of the tenant, filters it and saves it', async (t) => {
  const owner = await newOwner();
  const member = await w.account({ tenantId: owner.tenantId! });
  const client = w.as(owner);
  const key = await client.post('/api/iam/key', { name: 'Nightly import', role: 'Reader' });
  await client.delete(`/api/iam/key/${key.body.id}`, { 'svc-audit-reason': '=1+1' });
  await client.post(`/api/iam/tenant/${owner.tenantId}/member`, { userId: member.userId, role: 'Owner' });
  const page = await pages.openAs(owner, '/tenant/audit');
  await page.text('tenant.member.set');
  await page.text('=1+1');
  await expectAccessible(t, page);
  await picture(page, 'tenant-audit');
  const saved = await page.tab.evaluate<string>(`new Promise((resolve) => {
    URL.createObjectURL = (blob) => (blob.text().then(resolve), '#');
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'CSV').click();
  })`);
  t.regex(saved, /^time,accountId,accountName,action,subject,subjectName,tenantId,reason,[^\n]*,details\r\n/);
  t.true(saved.includes(`,key.revoke,${key.body.id},Nightly import,${owner.tenantId},'=1+1,`));
  await page.fill(/^Action/, 'key');
  await page.gone('button', 'Details of tenant.member.set');
  t.is(await page.address(), '/tenant/audit?action=key');
  await page.fill('Until', '2020-01-01');
  await page.see('heading', 'No entries');
  await page.tab.close();
});
