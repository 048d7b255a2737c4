/** `ph review`: asking people about a version, answering, deciding. */
import { answerCommands } from './review/answers.ts'
import { assignCommand } from './review/assign.ts'
import { decideCommand } from './review/decide.ts'
import { listCommand } from './review/list.ts'
import { requestCommand } from './review/request.ts'
import { showCommand } from './review/show.ts'

export const commands = [requestCommand, listCommand, showCommand, ...answerCommands, assignCommand, decideCommand]
