size = 4
name = "part"
length = (size +
          name)
