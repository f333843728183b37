import { type Html, html } from '../../http/answers/page.ts';

const icon = (path: string, name = ''): Html =>
  html`<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" class="${name}"><path d="${path}"/></svg>`;

/**
 * The page without any data: what it shows comes from the API, with the right of its reader.
 * @param assets path of scripts and styles, relative to the page
 * @param modules scripts that the first one imports
 */
export const shellOf = (assets: string, modules: readonly string[]): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Map · Data platform</title><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets}/maplibre-gl.css"><link rel="stylesheet" href="${assets}/page.css">
${modules.map((name) => html`<link rel="modulepreload" href="${assets}/${name}">`)}
<script type="module" src="${assets}/main.js"></script></head>
<body>
<a class="skip" href="#panel">Skip to the controls</a>
<main aria-label="Map"><div id="map"></div><div id="degrees" aria-hidden="true"></div><div id="cross" aria-hidden="true"></div>
<noscript><p class="card" id="noscript">This page needs JavaScript.</p></noscript>
<p id="failure" class="card" role="alert" hidden></p></main>
<section id="panel" class="card" aria-labelledby="title" tabindex="-1" hidden>
<header><h1 id="title">Map</h1>
<button id="fold" class="icon" type="button" aria-expanded="true" aria-controls="controls" aria-label="Controls">${icon('M3 6l6 6 6-6-1.4-1.4L9 9.2 4.4 4.6z')}</button></header>
<div id="legend" class="legend"></div>
<div id="controls" class="controls">
<fieldset id="schemes-row" hidden><legend id="schemes-title">Layer</legend><div id="schemes"></div></fieldset>
<div id="layer-row" class="slider" hidden><label for="layer">Level <output id="layer-label" for="layer"></output></label>
<input id="layer" type="range" min="0" max="0" step="1" value="0"></div>
<div id="opacity-row" class="slider" hidden><label for="opacity">Opacity <output id="opacity-label" for="opacity"></output></label>
<input id="opacity" type="range" min="0" max="100" step="5" value="100"></div>
<ul id="notes" hidden></ul>
<div class="buttons"><button id="whole" class="button" type="button" hidden>Whole extent</button>
<button id="copy" class="button" type="button">Copy link</button></div>
</div></section>
<section id="time-bar" class="card" aria-label="Time" hidden>
<div class="steps"><button id="back" class="icon" type="button" aria-label="Previous step">${icon('M12 3v12L5 9zM4 3h1.6v12H4z')}</button>
<button id="play" class="icon" type="button" aria-label="Play" aria-pressed="false">${icon('M5 3l10 6-10 6z', 'go')}${icon('M4 3h3.6v12H4zM10.4 3H14v12h-3.6z', 'wait')}</button>
<button id="forward" class="icon" type="button" aria-label="Next step">${icon('M6 3v12l7-6zM12.4 3H14v12h-1.6z')}</button></div>
<input id="time" type="range" min="0" max="0" step="1" value="0" aria-label="Time step">
<p><span id="time-label"></span><span id="time-count"></span></p></section>
<div id="readout" class="card" role="region" aria-label="Value under the pointer" hidden><span id="readout-place"></span><span id="readout-value"></span></div>
<section id="point" class="card" aria-labelledby="point-place" hidden>
<header><h2 id="point-place"></h2><button id="point-close" class="icon" type="button" aria-label="Close">${icon('M4.4 3L9 7.6 13.6 3 15 4.4 10.4 9l4.6 4.6-1.4 1.4L9 10.4 4.4 15 3 13.6 7.6 9 3 4.4z')}</button></header>
<dl id="facts"></dl>
<figure id="chart-figure"><div id="chart"></div><figcaption id="point-summary" class="visually-hidden"></figcaption></figure>
<footer><p id="point-note"></p><button id="point-save" class="button" type="button" hidden>CSV</button></footer></section>
<div id="status" class="card" role="status" aria-live="polite"></div>
<dialog id="login" aria-labelledby="login-title"><form id="login-form" method="dialog">
<h2 id="login-title">Log in</h2><p id="login-reason"></p>
<label for="login-id">Login id</label><input id="login-id" name="username" autocomplete="username" required maxlength="320">
<label for="login-password">Password</label><input id="login-password" name="password" type="password" autocomplete="current-password" required maxlength="1000">
<div id="second-factor" hidden>
<div id="login-authenticator-row" hidden><label for="login-authenticator">Authenticator</label><select id="login-authenticator"></select></div>
<label for="login-code">One-time password or recovery code</label><input id="login-code" autocomplete="one-time-code" inputmode="text" maxlength="100"></div>
<p id="login-refusal" class="refusal" role="alert"></p>
<button id="login-submit" class="button main" type="submit">Log in</button></form></dialog>
</body></html>
`.text;
