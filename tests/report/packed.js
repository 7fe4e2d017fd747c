/* Numbers as the data of a page have them (base/pack.h), for what changes these data. */
function numbersOf(base64) {
  const numbers = [];
  let value = 0, factor = 1;
  for (const character of atob(base64)) {
    const byte = character.charCodeAt(0);
    value += (byte & 127) * factor;
    factor *= 128;
    if (byte & 128) continue;
    numbers.push(value);
    value = 0;
    factor = 1;
  }
  return numbers;
}

function pack(numbers) {
  let bytes = '';
  for (let number of numbers) {
    for (; number > 127; number = Math.floor(number / 128))
      bytes += String.fromCharCode(number % 128 | 128);
    bytes += String.fromCharCode(number);
  }
  return btoa(bytes);
}
