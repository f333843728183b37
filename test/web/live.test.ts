import test from 'ava';
import { newFirstLink } from '../../src/tenants/first-link.ts';
import { attempt, codeOf, setupCodeFrom } from '../world/authenticator.ts';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { newProject, untilEnd } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { ownWorld, PASSWORD, world } from '../world.ts';

const w = world(test);
const fresh = ownWorld(test);
const pages = consoleTests(test, w);
const freshPages = consoleTests(test, fresh);
const worker = sharedWorker(w);

freshPages.test('the link of a first start leads to the first administrator, who is signed in', async (t) => {
  const token = await newFirstLink(fresh.db);
  const page = await freshPages.open(`/activate?bootstrap=${token}`);
  await page.see('heading', 'The first administrator');
  await expectAccessible(t, page);
  await picture(page, 'first-administrator');
  await page.fill('Login id', 'ann');
  await page.fill('New password', 'short');
  await page.click('button', 'Make the administrator');
  await page.see('alert', /./);
  await page.fill('New password', PASSWORD);
  await page.fill('Name of the organisation', 'River authority');
  await page.click('button', 'Make the administrator');
  await page.see('heading', 'No projects yet');
  const [paint] = await page.tab.evaluate<number[]>(
    "performance.getEntriesByName('first-contentful-paint').map(({ startTime }) => startTime)",
  );
  t.log(`first contentful paint after ${Math.round(paint!)} ms`);
  await page.tab.close();

  const again = await freshPages.open(`/activate?bootstrap=${token}`);
  await again.fill('Login id', 'eve');
  await again.fill('New password', PASSWORD);
  await again.click('button', 'Make the administrator');
  await again.see('alert', /was used before or has expired/);
  await again.tab.close();
});

pages.test('who has no project loads a sample, whose datasets are imported as others are', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const page = await pages.openAs(owner);
  await page.click('button', 'Load a sample');
  await page.see('heading', 'Sample');
  const { body } = await w.as(owner).get('/api/conversion/transfer/list');
  t.is(body.data.length, 2);
  await worker();
  for (const { id } of body.data) t.is((await untilEnd(w.as(owner), id)).status, 'Completed');
  await page.see('link', 'Terrain');
  await page.see('link', 'Gauges');
  await expectAccessible(t, page);
  await page.tab.close();
});

pages.test('changes by others appear within 2 s, and leave focus, scroll and what is typed', async (t) => {
  const tenantId = await w.tenant();
  const [ann, ben] = [await w.account({ tenantId, role: 'Owner' }), await w.account({ tenantId, role: 'Owner' })];
  const id = await newProject(w.as(ann), 'Upper valley', [{ user: ben, role: 'Owner' }]);
  for (let n = 0; n < 40; n++) await w.as(ann).post(`/api/metadata/project/${id}/subproject`, { name: `Folder ${n}` });
  const page = await pages.openAs(ann, `/projects/${id}`);
  await page.see('link', 'Folder 0');
  await page.fill(/^Filter 4/, 'fold');
  const at = () => page.tab.evaluate<number>('document.scrollingElement.scrollTop');
  await page.tab.evaluate('scrollTo(0, 300)');
  const before = await at();
  t.true(before > 0);
  const began = performance.now();
  const { body: folder } = await w.as(ben).post(`/api/metadata/project/${id}/subproject`, { name: 'Folder of Ben' });
  await page.see('link', 'Folder of Ben');
  t.log(`the change of another person was shown after ${Math.round(performance.now() - began)} ms`);
  t.regex(await page.focused(), /^Filter 4/);
  t.is(await page.tab.evaluate('document.activeElement.value'), 'fold');
  t.is(await at(), before);

  await page.click('button', 'Actions for Folder of Ben');
  t.is(await page.focused(), 'Open');
  await w.as(ben).post(`/api/metadata/project/${id}/subproject`, { name: 'Folder' });
  await page.see('link', 'Folder');
  t.is(await page.focused(), 'Open', 'a menu stays open when a row comes above it');
  const { metadata, settings } = folder;
  await w.as(ben).put('/api/metadata/project', { id: folder.id, metadata, settings, name: 'Folder 38 of Ben' });
  await page.see('link', 'Folder 38 of Ben');
  t.is(await page.focused(), 'Open', 'and when its own row goes to another place');
  await page.tab.close();
});

pages.test(
  'when the session ends in mid-work, the password is asked over the page, and what is typed stays',
  async (t) => {
    const ann = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const id = await newProject(w.as(ann), 'Upper valley');
    const page = await pages.openAs(ann, `/projects/${id}/settings`);
    await page.fill('Description', 'Typed before the session ended.');
    const { body } = await w.as(ann).get('/api/tokens/family');
    for (const one of body.data) await w.as(ann).delete(`/api/tokens/family/${one.id}`);
    await page.click('button', 'Save');
    await page.see('dialog', 'Your session has ended');
    await expectAccessible(t, page);
    await picture(page, 'session-ended');
    await page.fill('Password', PASSWORD);
    await page.click('button', 'Sign in');
    await page.gone('dialog', 'Your session has ended');
    await page.text('Typed before the session ended.');
    while ((await w.as(ann).get(`/api/metadata/project/${id}`)).body.description === undefined)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await page.tab.close();
  },
);

pages.test('a page that is left while it renews the session stays signed in', async (t) => {
  const page = await pages.openAs(await w.account());
  for (let delay = 0; delay < 120; delay += 8) {
    await page.tab.evaluate('setTimeout(() => location.reload())');
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
  await page.tab.until("document.querySelector('h1')", 'the page is shown');
  await page.see('heading', 'Projects');
  t.is(await page.address(), '/projects');
  await page.tab.close();
});

pages.test('a page never writes as somebody else who has signed in in another tab', async (t) => {
  const tenantId = await w.tenant();
  const [ann, ben] = [await w.account({ tenantId, role: 'Owner' }), await w.account({ tenantId, role: 'Owner' })];
  const id = await newProject(w.as(ann), 'Upper valley', [{ user: ben, role: 'Owner' }]);
  const page = await pages.openAs(ann, `/projects/${id}/settings`);
  await page.fill('Description', 'Typed by Ann.');
  const other = await pages.openAs(ben);
  await page.text(`${ben.id} has signed in in another tab.`);
  await page.see('button', `Continue as ${ben.id}`);
  await expectAccessible(t, page);
  t.is(await page.tab.evaluate(`document.querySelector('dialog input').value`), ann.id);
  await page.tab.front();
  await page.fill('Password', PASSWORD);
  await page.click('button', 'Sign in');
  await page.gone('dialog', 'Your session has ended');
  // now it is the other tab that belongs to somebody else
  await other.text(`${ann.id} has signed in in another tab.`);
  await page.click('button', 'Save');
  const read = async () => (await w.as(ann).get(`/api/metadata/project/${id}`)).body;
  while ((await read()).description === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  t.like(await read(), { description: 'Typed by Ann.', updatedBy: ann.userId });
  await other.tab.front();
  await other.click('button', `Continue as ${ann.id}`);
  await other.see('button', new RegExp(`account of ${ann.id}`));
  await page.tab.close();
  await other.tab.close();
});

pages.test('an account with a second factor is asked for a code at the sign-in', async (t) => {
  const ben = await w.account();
  const { body } = await attempt(w, { id: ben.id, currentPassword: PASSWORD } as never, '/api/tokens/otp/registration');
  const code = setupCodeFrom(body.manualEntryCode);
  t.is((await attempt(w, { id: ben.id, otp: codeOf(code) })).status, 200);
  const page = await pages.open('/signin');
  await page.tab.evaluate("fetch('api/tokens/session', { method: 'DELETE', headers: { 'svc-session': '1' } })");
  await page.tab.go(await page.tab.evaluate('location.origin + "/signin"'));
  await page.fill('Login id', ben.id);
  await page.fill('Password', PASSWORD);
  await page.click('button', 'Sign in');
  await page.fill('One-time password or recovery code', codeOf(code, { steps: 1 }));
  await page.click('button', 'Sign in');
  await page.see('heading', 'Projects');
  await page.tab.close();
});

pages.test('without a network the page says so, and with it goes on by itself', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  await newProject(w.as(owner), 'Upper valley');
  const page = await pages.openAs(owner);
  await page.see('link', 'Upper valley');
  await page.tab.offline(true);
  await page.text('What is on screen may be old');
  await page.see('link', 'Upper valley');
  // its code is not there yet
  await page.click('link', 'Transfers');
  await page.see('heading', 'This could not be loaded');
  await page.text('The server cannot be reached');
  await expectAccessible(t, page);
  await picture(page, 'offline');
  await newProject(w.as(owner), 'Lower valley');
  await page.tab.offline(false);
  await page.see('heading', 'Transfers');
  await page.click('link', 'Projects');
  await page.see('link', 'Lower valley');
  t.pass();
});
