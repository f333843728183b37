import test from 'ava';
import { codeOf, setupCodeFrom } from '../world/authenticator.ts';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

pages.test('a person changes the profile and the password, and ends another session', async (t) => {
  const ann = await w.account();
  const page = await pages.openAs(ann, '/profile', 1280);
  await page.see('heading', 'Profile');
  await page.see('table', 'Sessions');
  await expectAccessible(t, page);
  await picture(page, 'profile');
  await page.fill('Name', 'Ann Berg');
  await page.click('button', 'Save');
  await page.text('Your profile is saved.');
  t.is((await w.as(ann).get('/api/accounts/me')).body.name, 'Ann Berg');

  await page.fill('Current password', 'Wrong-bends-9');
  await page.fill('New password', 'Nine-meadows-4');
  await page.fill('New password again', 'Nine-meadows-5');
  await page.click('button', 'Change the password');
  await page.text('The two passwords differ.');
  await page.fill('New password again', 'Nine-meadows-4');
  await page.click('button', 'Change the password');
  await page.see('alert', 'The current password is wrong.');
  await page.fill('Current password', PASSWORD);
  await page.click('button', 'Change the password');
  await page.text('The password is changed. Other sessions have ended.');
  await page.tab.close();
});

pages.test('a Member reads in the profile who gives API keys; an Owner is led to them', async (t) => {
  const tenantId = await w.tenant('River board');
  const [ann, bo] = [await w.account({ tenantId, role: 'Owner', name: 'Ann Berg' }), await w.account({ tenantId })];
  const member = await pages.openAs(bo, '/profile', 1280);
  await member.text('Owners of River board make and revoke its keys. Ask Ann Berg for one');
  await expectAccessible(t, member);
  await member.tab.close();
  const owner = await pages.openAs(ann, '/profile', 1280);
  await owner.click('link', 'API keys of River board');
  await owner.see('heading', 'No API keys');
  await owner.tab.close();
});

pages.test('a person sets up the second factor, and gets recovery codes', async (t) => {
  const ben = await w.account();
  const page = await pages.openAs(ben, '/profile', 1280);
  await page.text('Not set up. A password alone opens the account.');
  await page.click('button', 'Set up');
  await page.fill('Current password', PASSWORD);
  await page.click('button', 'Continue');
  await page.text('Scan the picture with an authenticator app');
  await expectAccessible(t, page);
  await picture(page, 'second-factor');
  const secret = await page.tab.evaluate<string>(`document.querySelector('dialog pre').textContent`);
  await page.fill('Code of the authenticator', '000000');
  await page.click('button', 'Confirm');
  await page.see('alert', /./);
  await page.fill('Code of the authenticator', codeOf(setupCodeFrom(secret)));
  await page.click('button', 'Confirm');
  await page.text('Each of them replaces a code of the app once.');
  await picture(page, 'recovery-codes');
  await page.click('button', 'Done');
  await page.text('Set up. 10 recovery codes are left.');
  await page.tab.close();
});
