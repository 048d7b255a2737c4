/** `@prop-house/client/errors`: what calls throw. Compare `code`; sentences may be reworded. */
export { ApiError, type ErrorCode, errors, exits } from '../../contract/errors.ts'
export { ClientError, type ClientErrorCode, clientErrors, isUnanswered } from '../client-error.ts'
