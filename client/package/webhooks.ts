/** `@prop-house/client/webhooks`: for receivers, whether a request comes from the library and was signed just now. */
export { type Received, verifySignature } from '../webhooks/verify-signature.ts'
