// Setting a server up on its page: the printed address, the first workspace and its owner.
import { expect, test } from 'vitest'
import { emptyServer } from '../support/empty-server.ts'
import { PageBrowser } from '../support/page-browser.ts'

const filledIn = {
  workspace_name: 'Studio Å <b>&amp;',
  slug: 'studio',
  display_name: 'Nora <script>alert(1)</script> Näslund',
  name: 'nora',
  email: 'Nora@Studio.test',
  password: 'correct horse nora',
}

test('the printed address makes a workspace and signs its owner in; after that /setup sends everybody to sign in', async () => {
  const { start } = await emptyServer()
  const { url, setupAddress } = await start()
  const { pathname, search } = new URL(setupAddress ?? '')
  const one = new PageBrowser(url)
  expect((await one.open('/')).path).toBe('/setup')
  const form = await one.open(pathname + search)
  expect(form.title).toBe('Set up this server · Prop House')
  const page = await one.send(form, '/setup', filledIn)
  expect([page.status, page.path, page.title]).toEqual([200, '/', 'Overview · Studio Å <b>&amp; · Prop House'])
  expect(page.text).toContain('The workspace is made, and you are signed in as its owner.')
  expect(page.html).not.toContain('<script>')
  expect((await one.open('/')).text).not.toContain('The workspace is made')
  const late = await new PageBrowser(url).open(pathname + search)
  expect([late.status, late.text]).toEqual([409, expect.stringContaining('This server is set up already')])
  const again = await one.send(form, '/setup', filledIn)
  expect(again.status).toBe(403)
})

test('a form that is not right comes back with everything that is wrong and what was typed, but for the password', async () => {
  const { start } = await emptyServer()
  const { url, setupAddress } = await start()
  const { pathname, search } = new URL(setupAddress ?? '')
  const one = new PageBrowser(url)
  const form = await one.open(pathname + search)
  const wrong = await one.send(form, '/setup', {
    ...filledIn,
    slug: 'Not A Slug',
    email: 'nora',
    name: 'no ra',
    password: 'short',
  })
  expect([wrong.status, wrong.title]).toEqual([422, 'Not yet: Set up this server · Prop House'])
  for (const name of ['slug', 'email', 'name', 'password']) expect(wrong.html).toContain(`id="${name}-wrong"`)
  expect(wrong.html).not.toContain('id="display_name-wrong"')
  expect(wrong.html).not.toContain('value="short"')
  expect(wrong.forms[0]?.fields.workspace_name).toBe(filledIn.workspace_name)
  expect((await one.send(wrong, '/setup', filledIn)).path).toBe('/')
})

test('without the code, or with a wrong one, nothing is made and the field asks for it', async () => {
  const { start } = await emptyServer()
  const { url, database } = await start()
  const one = new PageBrowser(url)
  const form = await one.open('/setup')
  const wrong = await one.send(form, '/setup', { ...filledIn, setup_code: 'x'.repeat(43) })
  expect([wrong.status, wrong.html.includes('id="setup_code-wrong"')]).toEqual([401, true])
  const missing = await one.send(form, '/setup', filledIn)
  expect([missing.status, missing.html.includes('id="setup_code-wrong"')]).toEqual([422, true])
  expect(await database.sql`select 1 from workspaces`).toHaveLength(0)
})
