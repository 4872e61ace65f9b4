package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"sync"
)

// keys has a random key of this process for the cipher, and one for the initialization vectors.
var keys = sync.OnceValue(func() (k struct{ cipher, mac [32]byte }) {
	_, _ = rand.Read(k.cipher[:]) // never fails
	_, _ = rand.Read(k.mac[:])
	return k
})

// seal encrypts text. The same text has the same result within a process, so that reflect.DeepEqual compares secrets.
func seal(text string) string {
	key := keys().mac
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte(text))
	iv := mac.Sum(nil)[:aes.BlockSize]
	return string(iv) + string(xor(iv, []byte(text)))
}

// unseal is the inverse of seal.
func unseal(sealed string) string {
	return string(xor([]byte(sealed[:aes.BlockSize]), []byte(sealed[aes.BlockSize:])))
}

func xor(iv, text []byte) []byte {
	key := keys().cipher
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the length of the key is constant
	}
	cipher.NewCTR(block, iv).XORKeyStream(text, text)
	return text
}
