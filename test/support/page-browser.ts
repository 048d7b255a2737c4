/** A browser without a screen: opens pages, keeps cookies, follows redirects, fills in forms and sends them. */

export interface Form {
  action: string
  method: string
  /** What would be sent without touching anything, buttons aside. */
  fields: Record<string, string>
  /** Every name that can be filled in. */
  names: string[]
  buttons: { name: string; value: string; text: string; isDisabled: boolean }[]
}

export interface Page {
  status: number
  /** Path and query at which it ended up. */
  path: string
  headers: Headers
  html: string
  title: string
  /** What is read on it, without markup. */
  text: string
  /** Without those of the bar at the top. */
  forms: Form[]
}

interface Sending {
  method?: string
  body?: URLSearchParams
  headers?: Record<string, string>
}

export class PageBrowser {
  readonly origin: string
  readonly cookies = new Map<string, string>()
  /** Sent with every request. */
  readonly headers: Record<string, string>

  constructor(origin: string, headers: Record<string, string> = {}) {
    this.origin = origin
    this.headers = headers
  }

  /** Follows redirects within this server; one to anywhere else is where it stays. */
  async open(path: string): Promise<Page> {
    return this.#follow(path, await this.ask(path))
  }

  /** One request, no redirect followed. */
  async ask(path: string, { method = 'GET', body, headers = {} }: Sending = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.origin + path, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...this.headers, ...headers },
      ...(body && { body }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** Fills in and sends the form of the page that goes to `action`, by its button with these words, or its first. */
  async send(page: Page, action: string, { button, ...fields }: Record<string, string> = {}): Promise<Page> {
    const form = formTo(page, action)
    for (const name of Object.keys(fields))
      if (!form.names.includes(name)) throw new Error(`the form to ${action} has no field ${name}`)
    const body = new URLSearchParams({ ...form.fields, ...fields })
    const pressed = form.buttons.find(({ text, isDisabled }) => !isDisabled && (button === undefined || text === button))
    if (!pressed) throw new Error(`the form to ${action} has no button ${button}`)
    if (pressed.name) body.set(pressed.name, pressed.value)
    if (form.method === 'get') return this.open(`${form.action}?${body}`)
    const headers = { origin: this.origin }
    return this.#follow(form.action, await this.ask(form.action, { method: 'POST', body, headers }))
  }

  async #follow(path: string, answer: Response, hops = 0): Promise<Page> {
    const location = answer.headers.get('location')
    if (answer.status !== 303 || location === null || hops > 5) return readPage(path, answer)
    const to = new URL(location, this.origin + path)
    if (to.origin !== this.origin) return readPage(to.href, answer)
    return this.#follow(to.pathname + to.search, await this.ask(to.pathname + to.search), hops + 1)
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '' || /max-age=0\b|expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** A browser in which someone has signed in, on the pages below `base`: `/w/<slug>`, or nothing. */
export async function signedInBrowser(
  origin: string,
  base: string,
  credentials: { email: string; password: string },
): Promise<PageBrowser> {
  const one = new PageBrowser(origin)
  await one.send(await one.open(`${base}/sign-in`), `${base}/sign-in`, { ...credentials })
  return one
}

export function formTo(page: Page, action: string): Form {
  const form = page.forms.find((one) => one.action === action)
  if (!form) throw new Error(`${page.path} (${page.status} ${page.title}) has no form to ${action}`)
  return form
}

async function readPage(path: string, response: Response): Promise<Page> {
  const html = await response.text()
  const main = html.slice(Math.max(0, html.indexOf('<main')))
  return {
    status: response.status,
    path,
    headers: response.headers,
    html,
    title: unescaped(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? ''),
    text: unescaped(main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).trim(),
    forms: [...main.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = '', inside = '']) => readForm(head, inside)),
  }
}

function readForm(head: string, inside: string): Form {
  const { action = '', method = 'get' } = attributes(head)
  const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) => attributes(text))
  const sent = inputs.filter(({ type, checked }) => type !== 'radio' || checked !== undefined)
  const fields = Object.fromEntries(sent.map(({ name = '', value = '' }) => [name, value]))
  const buttons = [...inside.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/g)].map(([, text = '', words = '']) => {
    const { name = '', value = '', disabled } = attributes(text)
    return { name, value, text: unescaped(words.replaceAll(/<[^>]*>/g, '')).trim(), isDisabled: disabled !== undefined }
  })
  return { action, method, fields, names: inputs.map(({ name = '' }) => name), buttons }
}

const attributes = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, unescaped(value)]))

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

const unescaped = (text: string): string => text.replaceAll(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole)
