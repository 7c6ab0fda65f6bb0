/**
 * All that a person sees of a view: its words without times and ids of requests, the values of its fields and which
 * control is on. A time has one number in the minute in which it is "2 h", and two in the next.
 */
export const viewOf = `(() => {
  const time = /\\d+ ?(ms|s|min|h|d)\\b( \\d+ ?(s|min|h)\\b)?( ago)?|just now|\\d+:\\d\\d(:\\d\\d([.]\\d+)?)?/g;
  const request = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const mask = (text) => text.replace(request, '#').replace(time, '#');
  const words = [...document.querySelectorAll('main, [role=dialog]')].map((one) => mask(one.innerText));
  const values = [...document.querySelectorAll('input, select, textarea')].map((one) =>
    /^(checkbox|radio)$/.test(one.type) ? one.checked : one.value,
  );
  const on = '[aria-pressed=true], [aria-current], [aria-selected=true], [data-on], details[open] > summary';
  return { words, values, on: [...document.querySelectorAll(on)].map((one) => mask(one.innerText)) };
})()`;
