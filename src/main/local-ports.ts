/** The ports of a platform on one machine: five in a row from the API's, and one more for the rehearsal model. */
export function localPorts(api: number) {
  return { api, addresses: api + 1, codehost: api + 2, temporalUi: api + 3, temporal: api + 4, model: api + 5 };
}
