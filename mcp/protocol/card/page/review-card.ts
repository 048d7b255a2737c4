/**
 * The card of a review round, shown by hosts of MCP Apps beside the tool `review`: the picture, what differs from the version before, what was said,
 * and the two answers. It asks the host for tools and resources; nothing here reaches the network. Texts of people are text, never markup.
 */
import { App, applyDocumentTheme, applyHostFonts, applyHostStyleVariables } from '@modelcontextprotocol/ext-apps/app-with-deps'
import type { Difference, Planned, Round, Shown, ToolAnswer, VersionRow } from './answers.ts'
import { differenceRows } from './difference-rows.ts'

const app = new App({ name: 'prop-house-review', version: '1' }, {})

const part = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T
const [answering, said, told] = [part('answer'), part<HTMLTextAreaElement>('said'), part('told')]
let roundId = 0

function tell(text: string, failed = false): void {
  told.textContent = text
  told.classList.toggle('failed', failed)
}

/** What a tool answers. Throws its refusal, in its own words. */
async function ask<T>(name: string, args: Record<string, unknown>): Promise<T> {
  const answer = (await app.callServerTool({ name, arguments: args })) as ToolAnswer
  if (!answer.isError) return answer.structuredContent as T
  const { message = 'The library refused it.', next = '' } = answer._meta?.['prop-house/error'] ?? {}
  throw new Error([message, next].filter((line) => line !== '').join('\n'))
}

async function show(): Promise<void> {
  const { plan } = await ask<Shown>('review', { request_id: roundId })
  const { request, entry } = plan
  part('name').textContent = entry.name
  const isOpen = request.status === 'open'
  part('about').textContent =
    `Round ${request.id}, ${isOpen ? 'open' : request.status}. Asked by ${request.requested_by.name}.` +
    (entry.face_object_id === request.object_id ? '' : ' It is about an older version; the picture shows the current one.')
  showNote(part('note'), request.note)
  part('answers').replaceChildren(...request.reviewers.map(answerOf))
  part('answers-part').hidden = request.reviewers.length === 0
  answering.hidden = !isOpen
  tell(isOpen ? '' : 'This round is closed. Nothing is to be answered.')
  // The round can be answered without them.
  await Promise.all([
    showPicture(entry).catch(() => tell('The picture cannot be had now.')),
    showDifferences(request).catch(() => tell('What differs cannot be had now.')),
  ])
}

function showNote(element: HTMLElement, note: string | null): void {
  element.hidden = !note
  element.textContent = note ?? ''
}

const words = { pending: 'has not answered', approved: '✓ approved', changes_requested: '✎ asked for changes' }

function answerOf({ user, response, note }: Round['reviewers'][number]): HTMLElement {
  const row = document.createElement('li')
  row.append(`${user.name}: ${words[response]}`)
  if (note) {
    const quote = document.createElement('p')
    quote.className = 'note'
    showNote(quote, note)
    row.append(quote)
  }
  return row
}

async function showPicture({ id, name, has_thumbnail }: Shown['plan']['entry']): Promise<void> {
  if (!has_thumbnail) return
  const { contents } = await app.readServerResource({ uri: `ph://entry/${id}/thumbnail` })
  const [first] = contents
  if (!first || !('blob' in first)) return
  const picture = part<HTMLImageElement>('picture')
  picture.src = `data:image/png;base64,${first.blob}`
  picture.alt = `Picture of ${name}`
  picture.hidden = false
}

/** Beside the version before the one that is reviewed. */
async function showDifferences({ entry_id, object_id }: Round): Promise<void> {
  const { versions } = await ask<{ versions: VersionRow[] }>('versions', { entry_id })
  const numberOf = (id: number) => versions.find((one) => one.object_id === id)?.version ?? 0
  const [before] = versions.filter(({ version }) => version < numberOf(object_id)).toSorted((a, b) => b.version - a.version)
  if (!before) return
  const { differences } = await ask<{ differences: Difference[] }>('compare_versions', {
    ...{ entry_id, from_object_id: before.object_id, to_object_id: object_id },
  })
  const rows = differenceRows(differences)
  part('differences-title').textContent = `Version ${numberOf(object_id)} beside version ${before.version}`
  part('differences').replaceChildren(...rows.map(rowOf))
  part('differences-part').hidden = rows.length === 0
}

function rowOf(cells: readonly string[]): HTMLElement {
  const row = document.createElement('tr')
  for (const [at, text] of cells.entries()) {
    const cell = document.createElement(at === 0 ? 'th' : 'td')
    if (at === 0) cell.setAttribute('scope', 'row')
    cell.textContent = text
    row.append(cell)
  }
  return row
}

/** The button is the person's word: the plan is carried out at once. */
async function answer(response: string): Promise<void> {
  const args = { request_id: roundId, response, ...(said.value.trim() === '' ? {} : { note: said.value.trim() }) }
  const first = await ask<Planned>('review', args)
  if (first.declined) return tell('Nothing was answered.')
  if (first.plan_token !== undefined) await ask('review', { ...args, plan_token: first.plan_token })
  said.value = ''
  await show()
  tell(response === 'approved' ? '✓ You approved it.' : '✎ You asked for changes.')
}

/** Says what failed, where it failed. */
async function attempt(work: () => Promise<void>): Promise<void> {
  const buttons = [...answering.querySelectorAll('button')]
  for (const button of buttons) button.disabled = true
  try {
    await work()
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error), true)
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

// No form: the frames of hosts submit none.
for (const button of answering.querySelectorAll('button'))
  button.addEventListener('click', () => {
    tell('Sending your answer…')
    void attempt(() => answer(button.value))
  })

app.addEventListener('toolinput', ({ arguments: given = {} }) => {
  roundId = Number(given.request_id)
  if (typeof given.note === 'string') said.value = given.note
  void attempt(show)
})

function dress(context = app.getHostContext()): void {
  if (context?.theme) applyDocumentTheme(context.theme)
  if (context?.styles?.variables) applyHostStyleVariables(context.styles.variables)
  if (context?.styles?.css?.fonts) applyHostFonts(context.styles.css.fonts)
}
app.addEventListener('hostcontextchanged', (changed) => dress({ ...app.getHostContext(), ...changed }))
await app.connect()
dress()
