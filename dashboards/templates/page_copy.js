"use strict";
// The first screen for a mail: as text, and as a picture that is drawn in the page itself.
ironlake.copy = () => {
  // Where the clipboard is closed, the text is selected instead.
  for (const copy of document.querySelectorAll("[data-copy]")) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      const from = document.getElementById(copy.dataset.copy);
      try {
        await navigator.clipboard.writeText(from.textContent);
        copy.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(from);
        copy.textContent = "Selected: copy it with the keyboard";
      }
    });
  }

  const WIDTH = 1160;
  const SCALE = 2;
  const save = document.getElementById("save-picture");
  if (!save) return;
  const PARTS = "header .kicker, header h1, main > .verdict, main > .first, main > .waterfall-of, footer p:first-child";

  async function drawn() {
    const frame = document.createElement("div");
    frame.className = "drawn";
    frame.style.width = WIDTH + "px";
    for (const part of document.querySelectorAll(PARTS)) frame.append(part.cloneNode(true));
    document.body.append(frame);
    const height = Math.ceil(frame.getBoundingClientRect().height);
    frame.remove();
    const style = document.querySelector("style").textContent;
    const theme = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    // The root of the page's style is here the frame.
    const page = document.createElement("html");
    page.setAttribute("xmlns", "http://www.w3.org/1999/xhtml");
    page.dataset.theme = theme;
    const sheet = document.createElement("style");
    sheet.textContent = style.replaceAll(":root", "html");
    const body = document.createElement("body");
    body.append(frame);
    page.append(sheet, body);
    const inside = new XMLSerializer().serializeToString(page);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}"><foreignObject width="100%" height="100%">${inside}</foreignObject></svg>`;
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = WIDTH * SCALE;
    canvas.height = height * SCALE;
    const context = canvas.getContext("2d");
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(SCALE, SCALE);
    context.drawImage(image, 0, 0);
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
  }

  save.hidden = false;
  save.addEventListener("click", async () => {
    try {
      ironlake.save("first_screen.png", await drawn());
    } catch {
      // Safari lets no page read a picture of its own text.
      save.textContent = "This browser cannot: print the page instead";
    }
  });
};
